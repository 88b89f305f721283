// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesTestSupport

/// A value that a factory passes to the test.
final class Kept<Value: Sendable>: Sendable {
    private let state = Locked<Value?>(nil)

    var value: Value? {
        get { state.withLock { $0 } }
        set { state.withLock { $0 = newValue } }
    }
}

/// Weakly remembers the last of some objects.
final class WeakBox: Sendable {
    private struct Reference {
        weak var object: AnyObject?
    }

    private let reference = Locked(Reference())

    /// Whether the object is gone.
    var isEmpty: Bool { reference.withLock { $0.object == nil } }

    func remember(_ object: some AnyObject & Sendable) {
        reference.withLock { $0.object = object }
    }

    /// Whether it is this object.
    func holds(_ object: any Sendable) -> Bool {
        reference.withLock { $0.object === object as AnyObject }
    }
}
