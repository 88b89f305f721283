// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesJSON
import EavesTestSupport
import Testing

@Suite("Places in a text")
struct TextPositionTests {
    @Test(
        "counts lines and scalars from 1",
        arguments: [
            ("", 0, "1:1"), ("abc", 0, "1:1"), ("abc", 2, "1:3"), ("abc", 3, "1:4"),
            ("a\nb", 1, "1:2"), ("a\nb", 2, "2:1"), ("a\r\nb", 3, "2:1"), ("\n\n\n", 3, "4:1"),
            ("äb", 2, "1:2"), ("🐦b", 4, "1:2"), ("e\u{301}b", 3, "1:3"),
            ("abc", -1, "1:1"), ("abc", 99, "1:4"),
        ])
    func position(text: String, offset: Int, expected: String) {
        #expect(TextPosition(offset: offset, in: Array(text.utf8)).description == expected)
    }

    @Test("finds the same places with and without the table of lines")
    func lines() {
        let bytes = Array("\nä\r\n\n  🐦 x\nend".utf8)
        let lines = TextLines(bytes)
        for offset in -1...bytes.count + 1 {
            #expect(lines.position(of: offset) == TextPosition(offset: offset, in: bytes))
        }
    }

    @Test("finds places in lines that are as long as the text")
    func longLines() {
        let long = String(repeating: "äb🐦 ", count: 700)
        let bytes = Array("\(long)\n\(long)\(long)".utf8)
        let lines = TextLines(bytes)
        for offset in Soak.sample(0...bytes.count, every: 100) {
            #expect(lines.position(of: offset) == TextPosition(offset: offset, in: bytes))
        }
    }

    @Test("orders places as they follow each other")
    func order() {
        let places = [(1, 1), (1, 9), (2, 1), (2, 3)].map { TextPosition(line: $0, column: $1) }
        #expect(places.reversed().sorted() == places)
    }
}
