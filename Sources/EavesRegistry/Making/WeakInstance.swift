// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

/// The instance of the weak scope: there as long as somebody else keeps it.
final class WeakInstance<Service: Sendable>: Sendable {
    private struct Reference {
        weak var object: AnyObject?
    }

    private let reference = Guarded(Reference())

    /// The instance, if somebody still keeps it.
    var instance: Service? {
        reference.withLock { $0.object as? Service }
    }

    /// Remembers an instance. One that is no object is kept by nobody.
    func remember(_ instance: Service) {
        reference.withLock {
            $0.object = type(of: instance as Any) is AnyClass ? instance as AnyObject : nil
        }
    }
}
