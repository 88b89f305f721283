// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

/// A place in a text. Lines and columns count from 1, as in editors.
package struct TextPosition: Hashable, Sendable {
    package var line: Int
    /// In Unicode scalars.
    package var column: Int

    package init(line: Int, column: Int) {
        self.line = line
        self.column = column
    }

    package static let start = TextPosition(line: 1, column: 1)

    /// Finds the place of a byte. Reads the text up to that byte: use ``TextLines`` for many places
    /// in one text.
    ///
    /// - Parameters:
    ///   - offset: Counted in bytes. An offset outside the text means the nearer end of the text.
    ///   - bytes: The text in UTF-8, with lines that end in LF or CRLF.
    package init(offset: Int, in bytes: [UInt8]) {
        let before = bytes[..<min(max(offset, 0), bytes.count)]
        line = before.reduce(1) { $0 + ($1 == .lineFeed ? 1 : 0) }
        let start = before.lastIndex(of: .lineFeed).map { $0 + 1 } ?? 0
        column = 1 + before[start...].countOfScalars
    }
}

extension TextPosition: Comparable {
    package static func < (left: Self, right: Self) -> Bool {
        (left.line, left.column) < (right.line, right.column)
    }
}

extension TextPosition: CustomStringConvertible {
    /// The place as compilers write it: `3:14`.
    package var description: String { "\(line):\(column)" }
}

/// An index of the lines of a text, for finding many places without reading the text again.
package struct TextLines: Sendable {
    private struct Mark {
        let offset: Int
        let position: TextPosition
    }

    /// The largest distance between two marks. A line may be as long as the text.
    private static let stride = 1024

    private let bytes: [UInt8]
    /// The beginning of each line, and within long lines a mark after each ``stride``.
    private let marks: [Mark]

    package init(_ bytes: [UInt8]) {
        self.bytes = bytes
        var position = TextPosition.start
        var marks = [Mark(offset: 0, position: position)]
        for offset in bytes.indices {
            if bytes[offset] == .lineFeed {
                position = TextPosition(line: position.line + 1, column: 1)
                marks.append(Mark(offset: offset + 1, position: position))
            } else {
                position.column += bytes[offset].beginsScalar ? 1 : 0
                if offset + 1 - marks[marks.count - 1].offset == Self.stride {
                    marks.append(Mark(offset: offset + 1, position: position))
                }
            }
        }
        self.marks = marks
    }

    /// Finds the place of a byte. An offset outside the text means the nearer end of the text.
    package func position(of offset: Int) -> TextPosition {
        let offset = min(max(offset, 0), bytes.count)
        var (low, high) = (0, marks.count)
        while high - low > 1 {
            let middle = (low + high) / 2
            if marks[middle].offset <= offset { low = middle } else { high = middle }
        }
        var position = marks[low].position
        position.column += bytes[marks[low].offset..<offset].countOfScalars
        return position
    }
}
