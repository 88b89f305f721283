// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

/// Tells damaged bytes from whole ones, eight bytes at a time. Any single byte that differs gives another
/// sum.
///
/// It protects against accidents, not against people.
package struct Checksum {
    private static let prime: UInt64 = 0x9e37_79b9_7f4a_7c15

    private var lanes: (UInt64, UInt64, UInt64, UInt64) = (1, 2, 3, 4)
    private var rest: UInt64 = 0

    package init() {}

    /// Adds a piece. Every piece but the last one has a size that 32 divides.
    package mutating func add(_ piece: Span<UInt8>) {
        var (lanes, rest) = (lanes, rest &+ UInt64(piece.count))
        piece.withUnsafeBytes { bytes in
            var offset = 0
            func next() -> UInt64 {
                defer { offset += 8 }
                return bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
            }
            // Four lanes, so that no multiplication waits for the one before it.
            while offset + 32 <= bytes.count {
                lanes.0 = (lanes.0 ^ next()) &* Self.prime
                lanes.1 = (lanes.1 ^ next()) &* Self.prime
                lanes.2 = (lanes.2 ^ next()) &* Self.prime
                lanes.3 = (lanes.3 ^ next()) &* Self.prime
            }
            while offset < bytes.count {
                rest = (rest ^ UInt64(bytes[offset])) &* Self.prime
                offset += 1
            }
        }
        (self.lanes, self.rest) = (lanes, rest)
    }

    package var value: UInt64 {
        [lanes.0, lanes.1, lanes.2, lanes.3].reduce(rest) { ($0 ^ $1 ^ ($1 >> 32)) &* Self.prime }
    }
}

/// Computes FNV-1a, a hash of 64 bits that is the same in every process
/// (http://www.isthe.com/chongo/tech/comp/fnv). It does not withstand texts that are chosen to
/// collide.
package struct FNV1a: Sendable {
    package private(set) var hash: UInt64 = 0xcbf2_9ce4_8422_2325

    package init() {}

    package mutating func add(_ byte: UInt8) {
        hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3
    }

    package mutating func add(_ text: String) {
        for byte in text.utf8 { add(byte) }
    }
}
