// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesSystem
import EavesTestSupport
import Glibc
import Testing

@Suite struct SHA256Tests {
    /// The examples of FIPS 180-4, NIST's additional ones around the size of a block, and those that repeat a byte. A test
    /// prints its arguments: a million bytes as one of them wrote 4 MB into the log, in each of the two ways.
    @Test(
        "digests the vectors of NIST",
        arguments: [
            (Array("".utf8), 1, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
            (
                Array("abc".utf8), 1,
                "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
            ),
            (
                Array("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq".utf8), 1,
                "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
            ),
            (
                Array(
                    ("abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmn"
                        + "hijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu").utf8), 1,
                "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1"
            ),
            ([0xbd], 1, "68325720aabd7c82f30f554b313d0570c95accbb7dc4b5aae11204c08ffe732b"),
            (
                [0xc9, 0x8c, 0x8e, 0x55], 1,
                "7abc22c0ae5af26ce93dbb94433a0e0b2e119d014f8e7f65bd56c61ccccd9504"
            ),
            ([0], 55, "02779466cdec163811d078815c633f21901413081449002f24aa3e80f0b88ef7"),
            ([0], 56, "d4817aa5497628e7c77e6b606107042bbba3130888c5f47a375e6179be789fbb"),
            ([0], 57, "65a16cb7861335d5ace3c60718b5052e44660726da4cd13bb745381b235a1785"),
            ([0], 64, "f5a5fd42d16a20302798ef6ed309979b43003d2320d9f0e8ea9831a92759fb4b"),
            ([0], 1000, "541b3e9daa09b20bf85fa273e5cbd3e80185aa4ec298e765db87742b70138a53"),
            ([0x41], 1000, "c2e686823489ced2017f6059b8b239318b6364f6dcd835d0a519105a1eadd6e4"),
            ([0x61], 1_000_000, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"),
        ] as [([UInt8], Int, String)],
        ways
    )
    func vectors(_ vector: (part: [UInt8], count: Int, digest: String), usesInstructions: Bool) {
        let message =
            vector.count == 1
            ? vector.part : [UInt8](repeating: vector.part[0], count: vector.count)
        let digest = SHA256.digest(of: message, usesInstructions: usesInstructions)
        #expect(digest.hex == vector.digest)
    }

    /// On processors without instructions, both are the same way.
    static let ways = [true, false]

    /// The digests after one, two and all of the hundred rounds of SHA256Monte.rsp.
    @Test("passes the Monte Carlo test of NIST", arguments: ways)
    func monteCarlo(usesInstructions: Bool) {
        var seed: [UInt8] = [
            0x6d, 0x1e, 0x72, 0xad, 0x03, 0xdd, 0xeb, 0x5d, 0xe8, 0x91, 0xe5, 0x72, 0xe2, 0x39,
            0x6f, 0x8d, 0xa0, 0x15, 0xd8, 0x99, 0xef, 0x0e, 0x79, 0x50, 0x31, 0x52, 0xd6, 0x01,
            0x0a, 0x3f, 0xe6, 0x91,
        ]
        let expected = [
            0: "e93c330ae5447738c8aa85d71a6c80f2a58381d05872d26bdd39f1fcd4f2b788",
            1: "2e78f8c8772ea7c9331d41ed3f9cdf27d8f514a99342ee766ee3b8b0d0b121c0",
            99: "6a912ba4188391a78e6f13d88ed2d14e13afce9db6f7dcbf4a48c24f3db02778",
        ]
        for round in 0..<Self.rounds {
            var last = [seed, seed, seed]
            for _ in 0..<1000 {
                var hash = SHA256(usesInstructions: usesInstructions)
                for part in last { hash.update(part) }
                let digest = hash.finalize()
                let bytes = (0..<32).map {
                    UInt8(truncatingIfNeeded: digest.words[$0 / 4] >> UInt32(24 - $0 % 4 * 8))
                }
                last = [last[1], last[2], bytes]
            }
            seed = last[2]
            let hex = seed.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
            if let expected = expected[round] { #expect(hex == expected) }
        }
    }

    /// All rounds of NIST take a minute in unoptimised tests, which therefore do three.
    private static var rounds: Int {
        #if DEBUG
            3
        #else
            100
        #endif
    }

    @Test("gives the same digest with the processor's instructions and without, at every length")
    func sameDigest() {
        let message = (0..<300).map { UInt8(truncatingIfNeeded: $0 &* 31 ^ $0 >> 3) }
        for length in 0...message.count {
            let part = message[..<length]
            let digest = SHA256.digest(of: part, usesInstructions: true)
            #expect(digest == SHA256.digest(of: part, usesInstructions: false))
        }
    }

    @Test("gives the same digest however the bytes are cut", arguments: [1, 3, 55, 63, 64, 65])
    func pieces(size: Int) {
        let message = (0..<1031).map { UInt8(truncatingIfNeeded: $0 * 7) }
        var hash = SHA256()
        for start in stride(from: 0, to: message.count, by: size) {
            hash.update(message[start..<min(start + size, message.count)])
            hash.update([])
        }
        #expect(hash.finalize() == SHA256.digest(of: message))
    }

    @Test("accepts bytes that are not in one piece of memory")
    func scattered() {
        let expected = SHA256.digest(of: Array("abc".utf8))
        #expect(SHA256.digest(of: AnySequence("abc".utf8)) == expected)
    }

    @Test("reads a file in pieces", arguments: [0, 1, 32 << 10, (32 << 10) + 1, 128 << 10])
    func file(size: Int) throws {
        let folder = try TemporaryFolder()
        let content = (0..<size).map { UInt8(truncatingIfNeeded: $0 ^ $0 >> 8) }
        let path = try folder.write(content, to: "file")
        #expect(try SHA256.digest(of: OpenFile(reading: path)) == SHA256.digest(of: content))
    }
}
