// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

/// The 32 bytes that SHA-256 makes of a content.
package struct SHA256Digest: Hashable, Sendable {
    /// Big-endian words, the first one leading.
    package let words: SIMD8<UInt32>

    package init(words: SIMD8<UInt32>) {
        self.words = words
    }

    /// 64 lowercase hexadecimal digits, as `sha256sum` prints it.
    package var hex: String {
        let digits: StaticString = "0123456789abcdef"
        return String(unsafeUninitializedCapacity: 64) { text in
            // SAFETY: a nibble is below 16, the length of `digits`; 8 words have 64 nibbles.
            for place in 0..<64 {
                let nibble = words[place / 8] &>> UInt32(28 - place % 8 * 4) & 15
                text[place] = digits.utf8Start[Int(nibble)]
            }
            return 64
        }
    }
}

extension SHA256Digest: CustomStringConvertible {
    package var description: String { hex }
}
