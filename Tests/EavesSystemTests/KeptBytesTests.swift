// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesDiagnostics
import EavesSystem
import Testing

@Suite("A text that keeps the bytes of the system")
struct KeptBytesTests {
    private static let parts: [[UInt8]] = [
        [0x61], [0xe9], [0xc3], [0xa4], [0xf4, 0x8f], [0xbf], [0xbe, 0x80], [0xed, 0xa0, 0x80],
    ]
    private static let own = parts[..<3].map { String(keeping: $0) }

    @Test("is valid UTF-8 as it is, and gives all bytes back, which no other text stands for")
    func bytes() {
        #expect(String(keeping: Array("häuser 🐦".utf8)) == "häuser 🐦")
        #expect(String(keeping: [0xf4, 0x8f, 0xbd, 0xbf]) == "\u{10FF7F}")
        let (parts, own) = (Self.parts, Self.own)
        let all = parts.flatMap { a in parts.flatMap { b in parts.map { a + b + $0 } } }
        #expect(all.allSatisfy { String(keeping: $0).keptBytes == $0 })
        #expect(Set(all.map { String(keeping: $0) }).count == Set(all).count)
        #expect(own.map(\.keepsBytes) == [false, true, true])
        #expect(own[1].shellWord == #""$(printf '\351')""#)
    }

    @Test(
        "takes the place of arguments whose bytes were replaced, if they follow each other so",
        arguments: [
            (["a", "\u{FFFD}", "\u{FFFD}"], own), (["\u{FFFD}"], [own[2]]),
            (["\u{FFFD}", "a"], ["\u{FFFD}", "a"]), (["a", "b"], ["a", "b"]), ([], []),
        ])
    func arguments(given: [String], kept: [String]) {
        #expect(CommandLine.keeping(given, of: Self.own) == kept)
    }
}
