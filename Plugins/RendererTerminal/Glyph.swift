// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import CTerminal

/// A character as a terminal draws it: a grapheme cluster, and the number of columns that it takes.
///
/// The text leaves out what terminals disagree on, so that the columns are right in all of them: the
/// joiners and skin tones of emoji, and the marks that choose between text and emoji. What could do
/// harm, such as an escape sequence, becomes `�`.
struct Glyph: Hashable, Sendable {
    let text: String
    let width: Int

    static let space = Glyph(" ")
    private static let unknown: Unicode.Scalar = "\u{FFFD}"
    /// ncurses keeps no more of them in a cell.
    private static let markLimit = 4

    init(_ character: Character) {
        if let ascii = character.asciiValue {
            let isPrintable = (0x20...0x7e).contains(ascii)
            text = String(isPrintable ? character : Character(Self.unknown))
            width = 1
            return
        }
        var drawn = String.UnicodeScalarView()
        var columns = 0
        var marks = 0
        for scalar in character.unicodeScalars where !Self.isLeftOut(scalar, after: drawn) {
            switch Int(terminal_columns(scalar.value)) {
            case 0:
                // A mark without a character stands on a space.
                if drawn.isEmpty {
                    drawn.append(" ")
                    columns = 1
                }
                marks += 1
                if marks <= Self.markLimit { drawn.append(scalar) }
            case let count where count > 0:
                drawn.append(scalar)
                columns += count
            default:
                drawn.append(Self.unknown)
                columns += 1
            }
        }
        text = String(drawn)
        width = columns
    }

    private static func isLeftOut(
        _ scalar: Unicode.Scalar, after drawn: String.UnicodeScalarView
    ) -> Bool {
        switch scalar.value {
        // Variants, and the letters of flags of regions.
        case 0xFE00...0xFE0F, 0xE0001...0xE01EF: true
        // Skin tones.
        case 0x1F3FB...0x1F3FF: !drawn.isEmpty
        // The joiner also joins letters, as in Hindi.
        case 0x200D: drawn.isEmpty || drawn.last?.properties.isEmoji == true
        // Directions, which would turn the line around.
        case 0x061C, 0x200B, 0x200E, 0x200F, 0x202A...0x202E, 0x2060...0x206F, 0xFEFF: true
        default: false
        }
    }
}

extension Collection<Glyph> {
    /// The number of columns.
    var width: Int { reduce(0) { $0 + $1.width } }

    var text: String { reduce(into: "") { $0 += $1.text } }
}

extension String {
    /// The text as a terminal draws it. A line ending counts as a space.
    var glyphs: [Glyph] { map { $0.isNewline || $0 == "\t" ? .space : Glyph($0) } }

    /// The number of columns of the text.
    var columns: Int {
        utf8.allSatisfy { (0x20...0x7e).contains($0) } ? utf8.count : glyphs.width
    }

    /// The text in no more than a number of columns, with a mark at the end if it is cut.
    func glyphs(cutTo columns: Int, mark: Character) -> [Glyph] {
        let whole = glyphs
        guard whole.width > columns else { return whole }
        guard columns > 0 else { return [] }
        var cut: [Glyph] = []
        var width = 1
        for glyph in whole {
            guard width + glyph.width <= columns else { break }
            cut.append(glyph)
            width += glyph.width
        }
        return cut + [Glyph(mark)]
    }

    /// Wraps the text into lines of at most a number of columns.
    ///
    /// Lines break at spaces, next to wide characters, and within a word only if it is longer than a
    /// line. A line ending in the text stays one.
    func wrapped(to columns: Int) -> [[Glyph]] {
        split(omittingEmptySubsequences: false) { $0.isNewline }
            .flatMap { Self.wrap(String($0).glyphs, max(columns, 1)) }
    }

    private static func wrap(_ glyphs: [Glyph], _ columns: Int) -> [[Glyph]] {
        var lines: [[Glyph]] = []
        var line: [Glyph] = []
        var width = 0
        /// The number of glyphs of the line that can stay in it if it is too long.
        var possibleBreak = 0
        for glyph in glyphs {
            let isWide = glyph.width > 1
            if let last = line.last, last == .space || isWide || last.width > 1 {
                if glyph != .space { possibleBreak = line.count }
            }
            // A space at the end of a line is not seen.
            if width + glyph.width > columns, glyph != .space, !line.isEmpty {
                let end = possibleBreak > 0 ? possibleBreak : line.count
                lines.append(Self.trimmed(line[..<end]))
                line.removeFirst(end)
                width = line.width
                possibleBreak = 0
            }
            line.append(glyph)
            width += glyph.width
        }
        lines.append(Self.trimmed(line[...]))
        return lines
    }

    private static func trimmed(_ line: ArraySlice<Glyph>) -> [Glyph] {
        guard let last = line.lastIndex(where: { $0 != .space }) else { return [] }
        return Array(line[...last])
    }
}
