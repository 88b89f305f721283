// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

/// A hash that is the same in every process, for texts that nobody chooses to harm: FNV-1a, of 64 bits
/// (http://www.isthe.com/chongo/tech/comp/fnv).
package struct FNV1a: Sendable {
    /// Of all that was added.
    package private(set) var hash: UInt64 = 0xcbf2_9ce4_8422_2325

    package init() {}

    package mutating func add(_ byte: UInt8) {
        hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3
    }

    /// Adds the bytes of a text in UTF-8.
    package mutating func add(_ text: String) {
        for byte in text.utf8 { add(byte) }
    }
}
