// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesSystem
import Glibc
import Testing

@Suite struct SHA256Tests {
    /// The examples of FIPS 180-4 and NIST's "additional" ones around the block's edges.
    @Test(
        "digests the vectors of NIST",
        arguments: [
            (
                Array("".utf8),
                "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
            ),
            (
                Array("abc".utf8),
                "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
            ),
            (
                Array("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq".utf8),
                "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
            ),
            (
                Array(
                    ("abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmn"
                        + "hijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu").utf8),
                "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1"
            ),
            ([0xbd], "68325720aabd7c82f30f554b313d0570c95accbb7dc4b5aae11204c08ffe732b"),
            (
                [0xc9, 0x8c, 0x8e, 0x55],
                "7abc22c0ae5af26ce93dbb94433a0e0b2e119d014f8e7f65bd56c61ccccd9504"
            ),
            (
                [UInt8](repeating: 0, count: 55),
                "02779466cdec163811d078815c633f21901413081449002f24aa3e80f0b88ef7"
            ),
            (
                [UInt8](repeating: 0, count: 56),
                "d4817aa5497628e7c77e6b606107042bbba3130888c5f47a375e6179be789fbb"
            ),
            (
                [UInt8](repeating: 0, count: 57),
                "65a16cb7861335d5ace3c60718b5052e44660726da4cd13bb745381b235a1785"
            ),
            (
                [UInt8](repeating: 0, count: 64),
                "f5a5fd42d16a20302798ef6ed309979b43003d2320d9f0e8ea9831a92759fb4b"
            ),
            (
                [UInt8](repeating: 0, count: 1000),
                "541b3e9daa09b20bf85fa273e5cbd3e80185aa4ec298e765db87742b70138a53"
            ),
            (
                [UInt8](repeating: UInt8(ascii: "A"), count: 1000),
                "c2e686823489ced2017f6059b8b239318b6364f6dcd835d0a519105a1eadd6e4"
            ),
            (
                [UInt8](repeating: UInt8(ascii: "a"), count: 1_000_000),
                "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"
            ),
        ] as [([UInt8], String)]
    )
    func vectors(message: [UInt8], expected: String) {
        #expect(SHA256.digest(of: message).hex == expected)
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

    @Test("takes bytes that do not lie in one piece of memory")
    func scattered() {
        let expected = SHA256.digest(of: Array("abc".utf8))
        #expect(SHA256.digest(of: AnySequence("abc".utf8)) == expected)
    }

    @Test("reads a file in pieces", arguments: [0, 1, 128 << 10, (128 << 10) + 1])
    func file(size: Int) throws {
        let path = "/tmp/eaves-sha256-\(getpid())-\(size)"
        let content = (0..<size).map { UInt8(truncatingIfNeeded: $0 ^ $0 >> 8) }
        try Files.replace(path, with: content)
        defer { unlink(path) }
        #expect(try SHA256.digest(of: OpenFile(reading: path)) == SHA256.digest(of: content))
    }
}
