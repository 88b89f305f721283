// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import Utility

/// The whole screen as it is to be drawn: lines from top to bottom, and the cursor.
struct Drawing: Hashable, Sendable {
    var lines: [DrawnLine]
    /// The place of the focus, where screen readers and Braille displays follow the cursor.
    var cursor: Cell
    /// Whether the cursor is shown, because text is edited there.
    var showsCursor: Bool

    /// The lines without their styles.
    var text: [String] { lines.map(\.text) }
}

/// A place on the screen; the top left is 0, 0.
struct Cell: Hashable, Sendable {
    var row: Int
    var column: Int
}

/// The number of rows and columns of a terminal.
struct Size: Hashable, Sendable {
    var rows: Int
    var columns: Int
}

/// The look of a text. It underlines what the words and marks say already.
enum Style: Hashable, Sendable {
    case plain
    /// The line at the top, and the one at the bottom.
    case bar
    /// The title in the line at the top.
    case title
    case faint
    case strong
    case problem
    /// The thing that keys go to.
    case focused
    /// The part of a field that text goes to.
    case input
    case swatch(Color)
}

/// A line of the screen.
struct DrawnLine: Hashable, Sendable {
    struct Span: Hashable, Sendable {
        var glyphs: [Glyph]
        var style: Style
    }

    private(set) var spans: [Span] = []

    init() {}

    init(_ text: String, _ style: Style = .plain) {
        add(text.glyphs, style)
    }

    init(_ glyphs: [Glyph], _ style: Style = .plain) {
        add(glyphs, style)
    }

    var width: Int { spans.reduce(0) { $0 + $1.glyphs.width } }
    /// Without spaces at the end.
    var text: String {
        let whole = spans.reduce(into: "") { $0 += $1.glyphs.text }
        return String(whole.reversed().drop { $0 == " " }.reversed())
    }

    mutating func add(_ text: String, _ style: Style = .plain) {
        add(text.glyphs, style)
    }

    mutating func add(_ glyphs: [Glyph], _ style: Style) {
        if !glyphs.isEmpty { spans.append(Span(glyphs: glyphs, style: style)) }
    }

    mutating func add(_ line: DrawnLine) {
        spans += line.spans
    }

    /// Fills the line with spaces up to a column.
    mutating func pad(to column: Int, _ style: Style = .plain) {
        add(Array(repeating: .space, count: max(column - width, 0)), style)
    }

    /// The line in no more than a number of columns.
    func cut(to columns: Int) -> DrawnLine {
        var cut = DrawnLine()
        var left = columns
        for span in spans {
            let end = span.glyphs.firstIndex { glyph in
                left -= glyph.width
                return left < 0
            }
            cut.add(Array(span.glyphs[..<(end ?? span.glyphs.count)]), span.style)
            if end != nil { break }
        }
        return cut
    }

    /// The line, that many columns to the right.
    func indented(by columns: Int) -> DrawnLine {
        var line = DrawnLine()
        line.pad(to: columns)
        line.add(self)
        return line
    }
}

/// The characters that mark things. A terminal whose font has few characters gets those of ASCII.
struct Marks: Hashable, Sendable {
    var focus: Character, focusEnd: Character
    var less: Character, more: Character
    var secret: Character, cut: Character, step: Character
    var chosen: Character, swatch: Character
    var above: String, below: String, both: String
    var dot: String
    /// Top left, top right, bottom left, bottom right, horizontal, vertical.
    var frame: [Character]

    static let unicode = Marks(
        focus: "▸", focusEnd: "◂", less: "‹", more: "›", secret: "•", cut: "…", step: "›",
        chosen: "•", swatch: "■", above: "↑", below: "↓", both: "↕", dot: "·",
        frame: ["┌", "┐", "└", "┘", "─", "│"])
    static let ascii = Marks(
        focus: ">", focusEnd: "<", less: "<", more: ">", secret: "*", cut: "~", step: ">",
        chosen: "*", swatch: "#", above: "^", below: "v", both: "^v", dot: "-",
        frame: ["+", "+", "+", "+", "-", "|"])

    /// - Parameter type: The terminal's type, such as `xterm-256color`.
    static func of(terminal type: String) -> Marks {
        let hasFewCharacters = type == "linux" || type.hasPrefix("vt") || type == "ansi"
        return hasFewCharacters ? .ascii : .unicode
    }
}
