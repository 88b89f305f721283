// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

/// A part of a life that most lives do not have. It lies in a box of its own, so that a life is copied as a few
/// references: with all parts in it, the life of a module took 4,600 bytes, which each look at it copied.
@propertyWrapper
package struct Rare<Value: Sendable>: Sendable {
    // An object of a generic class would do as well, and the runtime would make a class for each kind of part: 40 µs at
    // each start of a program.
    private var box: (any Sendable)?

    package init(wrappedValue: Value?) { box = wrappedValue }

    package var wrappedValue: Value? {
        get { box.map { $0 as! Value } }
        set { box = newValue }
    }

    /// Whether the life has this part.
    package var projectedValue: Bool { box != nil }
}
