// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

/// The compression function of SHA-256 for processors without instructions for it: the part where
/// all the time goes.
///
/// Written so that the optimiser sees straight-line code over registers: 16 rounds at a time with the
/// names turned instead of the values moved, wrapping operators, a schedule of 16 words. That is worth
/// a factor of two, and in debug builds, where modules are digested as well, of ten.
enum SHA256Block {
    /// Mixes whole blocks of 64 bytes into a state; what is left over is not looked at.
    static func compress(_ bytes: UnsafeRawBufferPointer, into state: inout SIMD8<UInt32>) {
        // SAFETY: each block lies inside `bytes`, the loop's condition says so. `mix` uses 16 words
        // of the schedule and 4 times 16 of the 64 constants.
        withUnsafeTemporaryAllocation(of: UInt32.self, capacity: 16) { schedule in
            constants.withUnsafeBufferPointer { constants in
                guard let words = schedule.baseAddress, let keys = constants.baseAddress else {
                    return
                }
                var offset = 0
                while offset &+ 64 <= bytes.count {
                    for index in 0..<16 {
                        let word = bytes.loadUnaligned(
                            fromByteOffset: offset &+ index &* 4, as: UInt32.self)
                        words[index] = UInt32(bigEndian: word)
                    }
                    mix(words, keys, into: &state)
                    offset &+= 64
                }
            }
        }
    }

    private static func mix(
        _ words: UnsafeMutablePointer<UInt32>, _ keys: UnsafePointer<UInt32>,
        into state: inout SIMD8<UInt32>
    ) {
        // The first 16 words are the block's own, each of the others replaces the one 16 before it.
        var (a, b, c, d) = (state[0], state[1], state[2], state[3])
        var (e, f, g, h) = (state[4], state[5], state[6], state[7])
        round(a, b, c, &d, e, f, g, &h, keys[0] &+ words[0])
        round(h, a, b, &c, d, e, f, &g, keys[1] &+ words[1])
        round(g, h, a, &b, c, d, e, &f, keys[2] &+ words[2])
        round(f, g, h, &a, b, c, d, &e, keys[3] &+ words[3])
        round(e, f, g, &h, a, b, c, &d, keys[4] &+ words[4])
        round(d, e, f, &g, h, a, b, &c, keys[5] &+ words[5])
        round(c, d, e, &f, g, h, a, &b, keys[6] &+ words[6])
        round(b, c, d, &e, f, g, h, &a, keys[7] &+ words[7])
        round(a, b, c, &d, e, f, g, &h, keys[8] &+ words[8])
        round(h, a, b, &c, d, e, f, &g, keys[9] &+ words[9])
        round(g, h, a, &b, c, d, e, &f, keys[10] &+ words[10])
        round(f, g, h, &a, b, c, d, &e, keys[11] &+ words[11])
        round(e, f, g, &h, a, b, c, &d, keys[12] &+ words[12])
        round(d, e, f, &g, h, a, b, &c, keys[13] &+ words[13])
        round(c, d, e, &f, g, h, a, &b, keys[14] &+ words[14])
        round(b, c, d, &e, f, g, h, &a, keys[15] &+ words[15])
        var keys = keys + 16
        for _ in 0..<3 {
            round(a, b, c, &d, e, f, g, &h, keys[0] &+ next(0, words))
            round(h, a, b, &c, d, e, f, &g, keys[1] &+ next(1, words))
            round(g, h, a, &b, c, d, e, &f, keys[2] &+ next(2, words))
            round(f, g, h, &a, b, c, d, &e, keys[3] &+ next(3, words))
            round(e, f, g, &h, a, b, c, &d, keys[4] &+ next(4, words))
            round(d, e, f, &g, h, a, b, &c, keys[5] &+ next(5, words))
            round(c, d, e, &f, g, h, a, &b, keys[6] &+ next(6, words))
            round(b, c, d, &e, f, g, h, &a, keys[7] &+ next(7, words))
            round(a, b, c, &d, e, f, g, &h, keys[8] &+ next(8, words))
            round(h, a, b, &c, d, e, f, &g, keys[9] &+ next(9, words))
            round(g, h, a, &b, c, d, e, &f, keys[10] &+ next(10, words))
            round(f, g, h, &a, b, c, d, &e, keys[11] &+ next(11, words))
            round(e, f, g, &h, a, b, c, &d, keys[12] &+ next(12, words))
            round(d, e, f, &g, h, a, b, &c, keys[13] &+ next(13, words))
            round(c, d, e, &f, g, h, a, &b, keys[14] &+ next(14, words))
            round(b, c, d, &e, f, g, h, &a, keys[15] &+ next(15, words))
            keys += 16
        }
        state &+= SIMD8(a, b, c, d, e, f, g, h)
    }

    /// The schedule's next word, which takes the place `index`.
    @inline(__always)
    private static func next(_ index: Int, _ words: UnsafeMutablePointer<UInt32>) -> UInt32 {
        let (early, late) = (words[(index &+ 1) & 15], words[(index &+ 14) & 15])
        let low = rotated(early, 7) ^ rotated(early, 18) ^ (early &>> 3)
        let high = rotated(late, 17) ^ rotated(late, 19) ^ (late &>> 10)
        let word = words[index] &+ low &+ words[(index &+ 9) & 15] &+ high
        words[index] = word
        return word
    }

    @inline(__always)
    private static func round(
        _ a: UInt32, _ b: UInt32, _ c: UInt32, _ d: inout UInt32,
        _ e: UInt32, _ f: UInt32, _ g: UInt32, _ h: inout UInt32, _ word: UInt32
    ) {
        let choice = g ^ (e & (f ^ g))
        let majority = (a & b) | (c & (a | b))
        let fromE = rotated(e, 6) ^ rotated(e, 11) ^ rotated(e, 25)
        let fromA = rotated(a, 2) ^ rotated(a, 13) ^ rotated(a, 22)
        let first = h &+ fromE &+ choice &+ word
        d = d &+ first
        h = first &+ fromA &+ majority
    }

    @inline(__always)
    private static func rotated(_ word: UInt32, _ count: UInt32) -> UInt32 {
        (word &>> count) | (word &<< (32 &- count))
    }

    /// The first 32 bits of the fractional parts of the cube roots of the first 64 primes.
    private static let constants: [UInt32] = [
        0x428a_2f98, 0x7137_4491, 0xb5c0_fbcf, 0xe9b5_dba5,
        0x3956_c25b, 0x59f1_11f1, 0x923f_82a4, 0xab1c_5ed5,
        0xd807_aa98, 0x1283_5b01, 0x2431_85be, 0x550c_7dc3,
        0x72be_5d74, 0x80de_b1fe, 0x9bdc_06a7, 0xc19b_f174,
        0xe49b_69c1, 0xefbe_4786, 0x0fc1_9dc6, 0x240c_a1cc,
        0x2de9_2c6f, 0x4a74_84aa, 0x5cb0_a9dc, 0x76f9_88da,
        0x983e_5152, 0xa831_c66d, 0xb003_27c8, 0xbf59_7fc7,
        0xc6e0_0bf3, 0xd5a7_9147, 0x06ca_6351, 0x1429_2967,
        0x27b7_0a85, 0x2e1b_2138, 0x4d2c_6dfc, 0x5338_0d13,
        0x650a_7354, 0x766a_0abb, 0x81c2_c92e, 0x9272_2c85,
        0xa2bf_e8a1, 0xa81a_664b, 0xc24b_8b70, 0xc76c_51a3,
        0xd192_e819, 0xd699_0624, 0xf40e_3585, 0x106a_a070,
        0x19a4_c116, 0x1e37_6c08, 0x2748_774c, 0x34b0_bcb5,
        0x391c_0cb3, 0x4ed8_aa4a, 0x5b9c_ca4f, 0x682e_6ff3,
        0x748f_82ee, 0x78a5_636f, 0x84c8_7814, 0x8cc7_0208,
        0x90be_fffa, 0xa450_6ceb, 0xbef9_a3f7, 0xc671_78f2,
    ]
}
