// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

/// A large value behind a reference: what holds a thousand of them is copied faster.
///
/// Asks nothing of the value: what a generic type asks, the runtime looks for through all of the
/// process when the type is first used.
final class Boxed<Value: Sendable>: Sendable {
    let value: Value

    init(_ value: Value) {
        self.value = value
    }
}

extension Boxed: Equatable where Value: Equatable {
    static func == (left: Boxed, right: Boxed) -> Bool {
        left === right || left.value == right.value
    }
}

extension Boxed: Hashable where Value: Hashable {
    func hash(into hasher: inout Hasher) {
        hasher.combine(value)
    }
}
