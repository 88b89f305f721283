// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

/// A line of text that a person edits: the text and the place of the cursor, by characters as a person
/// counts them.
struct LineEditor: Hashable, Sendable {
    private var characters: [Character]
    /// The number of characters before the cursor.
    private(set) var cursor: Int

    /// Creates a line with the cursor at its end.
    init(_ text: String) {
        characters = Array(text)
        cursor = characters.count
    }

    var text: String { String(characters) }

    /// Edits the text, or moves the cursor.
    ///
    /// - Returns: Whether the key means something in a line.
    mutating func press(_ key: Key) -> Bool {
        switch key {
        case .text(let text): insert(text)
        case .left: cursor = max(cursor - 1, 0)
        case .right: cursor = min(cursor + 1, characters.count)
        case .home: cursor = 0
        case .end: cursor = characters.count
        case .backspace: remove(from: cursor - 1, to: cursor)
        case .delete: remove(from: cursor, to: cursor + 1)
        case .deleteToStart: remove(from: 0, to: cursor)
        case .deleteToEnd: remove(from: cursor, to: characters.count)
        case .deleteWord: remove(from: startOfWord, to: cursor)
        default: return false
        }
        return true
    }

    /// A combining mark joins the character before it, so the characters are counted anew.
    private mutating func insert(_ text: String) {
        let before = String(characters[..<cursor]) + text
        let rest = String(characters[cursor...])
        characters = Array(before + rest)
        cursor = min(before.count, characters.count)
    }

    /// Parts of a flag on both sides of a removed character can join, so the characters are counted anew.
    private mutating func remove(from start: Int, to end: Int) {
        let range = max(start, 0)..<min(end, characters.count)
        characters.removeSubrange(range)
        characters = Array(String(characters))
        cursor = min(range.lowerBound, characters.count)
    }

    private var startOfWord: Int {
        var start = cursor
        while start > 0, characters[start - 1].isWhitespace { start -= 1 }
        while start > 0, !characters[start - 1].isWhitespace { start -= 1 }
        return start
    }
}

/// The part of a line that fits into a field on the screen.
struct LineView: Hashable, Sendable {
    /// The glyphs, which take all columns of the field.
    var glyphs: [Glyph] = []
    /// The column of the cursor, from the start of the field.
    var cursor: Int
    var hidesStart: Bool
    var hidesEnd: Bool

    /// - Parameters:
    ///   - columns: The width of the field, at least 1.
    ///   - secret: The character that stands for each one; `nil` if the text is shown.
    init(_ line: LineEditor, columns: Int, secret: Character? = nil) {
        let columns = max(columns, 1)
        let all = line.text.map { Glyph(secret ?? $0) }
        let before = all.prefix(line.cursor).width
        let start = Self.start(before, columns)
        cursor = before - start
        hidesStart = start > 0
        hidesEnd = all.width > start + columns
        var column = -start
        for glyph in all {
            defer { column += glyph.width }
            if column >= 0, column + glyph.width <= columns {
                glyphs.append(glyph)
            } else {
                // Half of a wide character.
                let seen = Swift.min(column + glyph.width, columns) - Swift.max(column, 0)
                if seen > 0 { glyphs += repeatElement(.space, count: seen) }
            }
        }
        glyphs += repeatElement(.space, count: Swift.max(columns - glyphs.width, 0))
    }

    /// The first column of the text that is seen. It moves by half of the field, so that the person
    /// sees some text on both sides of the cursor.
    private static func start(_ cursor: Int, _ columns: Int) -> Int {
        guard cursor >= columns else { return 0 }
        let step = max(columns / 2, 1)
        return (cursor - columns + step) / step * step
    }
}
