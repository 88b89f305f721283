// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

/// A large value behind a reference: what holds a thousand of them is copied faster.
final class Boxed<Value: Hashable & Sendable>: Hashable, Sendable {
    let value: Value

    init(_ value: Value) {
        self.value = value
    }

    static func == (left: Boxed, right: Boxed) -> Bool {
        left === right || left.value == right.value
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(value)
    }
}
