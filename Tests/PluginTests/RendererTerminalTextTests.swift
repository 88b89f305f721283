// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesTestSupport
import Testing
import Utility

@testable import RendererTerminal

@Suite("text on a terminal", .onOwnThreads)
struct RendererTerminalTextTests {
    @Test(
        "a character takes the columns that terminals give it",
        arguments: [
            ("a", "a", 1), ("é", "é", 1), ("e\u{301}", "e\u{301}", 1), ("日", "日", 2), ("ｱ", "ｱ", 1),
            ("한", "한", 2), ("🚀", "🚀", 2), ("👩🏽‍🚀", "👩🚀", 4), ("❤️", "❤", 1), ("🇯🇵", "🇯🇵", 2),
            ("क्\u{200D}ष", "क्\u{200D}ष", 2), ("\u{301}", " \u{301}", 1), ("\u{1B}", "\u{FFFD}", 1),
            ("\u{202E}", "", 0), ("\u{9B}", "\u{FFFD}", 1),
        ])
    func glyph(text: String, drawn: String, width: Int) {
        let glyphs = text.glyphs
        #expect(glyphs.text.unicodeScalars.elementsEqual(drawn.unicodeScalars))
        #expect(glyphs.width == width)
    }

    @Test("a cell keeps no more marks than ncurses does")
    func marks() {
        let stacked = "e" + String(repeating: "\u{301}", count: 20)
        #expect(stacked.glyphs.text.unicodeScalars.count == 5)
    }

    @Test(
        "text breaks at spaces, next to wide characters, and within words that are too long",
        arguments: [
            ("one two three", 7, ["one two", "three"]), ("one two", 3, ["one", "two"]),
            ("abcdefgh", 3, ["abc", "def", "gh"]), ("日本語です", 4, ["日本", "語で", "す"]),
            ("ab日本", 5, ["ab日", "本"]), ("", 5, [""]), ("a\n\nb", 5, ["a", "", "b"]),
            ("  indented", 20, ["  indented"]), ("日本", 1, ["日", "本"]), ("a b", 1, ["a", "b"]),
            ("ends here ", 9, ["ends here"]), ("a\r\nb", 9, ["a", "b"]),
        ])
    func wrapping(text: String, columns: Int, lines: [String]) {
        #expect(text.wrapped(to: columns).map(\.text) == lines)
    }

    @Test("no line of a wrapped text is too wide, and no character is lost")
    func wrappingKeepsAll() {
        let text = "Zoë 日本語 and Dijkstra's 👩🏽‍🚀 shortest-path-algorithm-in-one-word e\u{301}"
        for columns in 4...40 {
            let lines = text.wrapped(to: columns)
            #expect(lines.allSatisfy { $0.width <= columns })
            let seen = lines.map(\.text).joined().filter { $0 != " " }
            #expect(seen == text.glyphs.text.filter { $0 != " " })
        }
    }

    @Test("a text that is cut ends with a mark")
    func cutting() {
        #expect("Hello".glyphs(cutTo: 5, mark: "…").text == "Hello")
        #expect("Hello".glyphs(cutTo: 4, mark: "…").text == "Hel…")
        #expect("日本語".glyphs(cutTo: 4, mark: "…").text == "日…")
        #expect("日本語".glyphs(cutTo: 0, mark: "…").isEmpty)
    }

    @Test(
        "keys move the cursor and change the text by whole characters, words and their spaces",
        arguments: [
            ("Zoë 👩🏽‍🚀", [], "Zoë 👩🏽‍🚀", 5), ("Zoë 👩🏽‍🚀", [.backspace], "Zoë ", 4),
            ("Zoë ", [.home, .delete], "oë ", 0), ("oë ", [.home, .right, .text("日")], "o日ë ", 2),
            ("o日ë ", [.home, .right, .right, .deleteToStart], "ë ", 0),
            ("ë ", [.home, .end, .left, .deleteToEnd], "ë", 1),
            // A mark that is typed joins the character before it.
            ("", [.text("e"), .text("\u{301}"), .text("x")], "e\u{301}x", 2),
            ("", [.text("e"), .text("\u{301}"), .text("x"), .left, .backspace], "x", 0),
            ("one two  ", [.deleteWord], "one ", 4), ("one ", [.deleteWord], "", 0),
        ] as [(String, [Key], String, Int)])
    func editing(text: String, keys: [Key], edited: String, cursor: Int) {
        var line = LineEditor(text)
        for key in keys {
            let isUsed = line.press(key)
            #expect(isUsed)
        }
        #expect(line.text == edited)
        #expect(line.cursor == cursor)
    }

    @Test("the ends of a line hold the cursor")
    func ends() {
        var line = LineEditor("")
        for key in [Key.left, .right, .backspace, .delete, .deleteWord, .deleteToEnd, .tab] {
            let isUsed = line.press(key)
            #expect(isUsed == (key != .tab))
            #expect(line == LineEditor(""))
        }
    }

    @Test("the cursor is seen at every place of a long line, which fills its field")
    func scrolling() {
        for text in ["The quick brown fox jumps", "日本語の長い文字列です", "a日b本c語d長e"] {
            for columns in 2...12 {
                var line = LineEditor(text)
                for _ in 0...text.count {
                    let view = LineView(line, columns: columns)
                    #expect((0..<columns).contains(view.cursor))
                    #expect(view.glyphs.width == columns)
                    #expect(
                        view.hidesStart
                            == (view.cursor < text.prefix(line.cursor).description.glyphs.width))
                    _ = line.press(.left)
                }
            }
        }
    }

    @Test("marks tell at which end a long line goes on")
    func hiddenEnds() {
        var line = LineEditor("abcdefgh")
        #expect(LineView(line, columns: 4).hidesStart)
        #expect(!LineView(line, columns: 4).hidesEnd)
        _ = line.press(.home)
        #expect(!LineView(line, columns: 4).hidesStart)
        #expect(LineView(line, columns: 4).hidesEnd)
    }

    @Test("each character of a secret is one mark")
    func secret() {
        #expect(LineView(LineEditor("日👩🏽‍🚀a"), columns: 5, secret: "•").glyphs.text == "•••  ")
    }

    @Test("sequences that are no known key are skipped as a whole")
    func sequences() {
        func length(_ text: String) -> Int? {
            var sequence = EscapeSequence()
            for (index, scalar) in text.unicodeScalars.enumerated() {
                sequence.take(scalar.value)
                if sequence.isComplete { return index + 1 }
            }
            return nil
        }
        #expect(length("x") == 1)
        #expect(length("[1;5C") == 5)
        #expect(length("OQ") == 2)
        #expect(length("[200~") == 5)
        #expect(length("[") == nil)
    }

    @Test("control characters are keys, and no text")
    func keys() {
        #expect(Key(character: 3) == .quit)
        #expect(Key(character: 13) == .enter)
        #expect(Key(character: 127) == .backspace)
        #expect(Key(character: 0x65E5) == .text("日"))
        #expect(Key(character: 7) == nil)
        #expect(Key(character: 0x9B) == nil)
        #expect(Key(curses: 0o541) == .backTab)
        #expect(Key(curses: 0o777) == nil)
    }

    @Test(
        "a colour is drawn as the nearest one of the terminal",
        arguments: [
            ("#ff0000", 8, 1), ("#3366cc", 8, 4), ("#ffffff", 8, 7), ("#ff0000", 256, 196),
            ("#808080", 256, 244), ("#5fd75f", 256, 77), ("#ffffff", 16, 15),
        ])
    func colors(hex: String, count: Int, number: Int) throws {
        #expect(try #require(Color(hex: hex)).nearest(of: count) == number)
    }
}
