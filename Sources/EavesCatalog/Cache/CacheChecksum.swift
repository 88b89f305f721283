// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

/// Tells damage from content, eight bytes at a time. Each byte that differs gives another sum.
///
/// No protection against anybody who means it: from others' writing the owner and the permissions of
/// the file protect.
enum CacheChecksum {
    static func sum(_ bytes: ArraySlice<UInt8>) -> UInt64 {
        let prime: UInt64 = 0x9e37_79b9_7f4a_7c15
        var lanes: (UInt64, UInt64, UInt64, UInt64) = (1, 2, 3, 4)
        return bytes.withUnsafeBytes { bytes in
            var offset = 0
            func next() -> UInt64 {
                defer { offset += 8 }
                let word = bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
                return UInt64(littleEndian: word)
            }
            // Four at once, because one multiplication need not wait for the other.
            while offset + 32 <= bytes.count {
                lanes.0 = (lanes.0 ^ next()) &* prime
                lanes.1 = (lanes.1 ^ next()) &* prime
                lanes.2 = (lanes.2 ^ next()) &* prime
                lanes.3 = (lanes.3 ^ next()) &* prime
            }
            var rest = UInt64(bytes.count)
            while offset < bytes.count {
                rest = (rest ^ UInt64(bytes[offset])) &* prime
                offset += 1
            }
            return [lanes.0, lanes.1, lanes.2, lanes.3].reduce(rest) {
                ($0 ^ $1 ^ ($1 >> 32)) &* prime
            }
        }
    }
}
