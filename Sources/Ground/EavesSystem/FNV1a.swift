// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

/// Computes FNV-1a, a hash of 64 bits that is the same in every process
/// (http://www.isthe.com/chongo/tech/comp/fnv). It does not withstand texts that are chosen to
/// collide.
package struct FNV1a: Sendable {
    /// The hash of all bytes that were added.
    package private(set) var hash: UInt64 = 0xcbf2_9ce4_8422_2325

    package init() {}

    package mutating func add(_ byte: UInt8) {
        hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3
    }

    /// Adds the UTF-8 bytes of a text.
    package mutating func add(_ text: String) {
        for byte in text.utf8 { add(byte) }
    }
}
