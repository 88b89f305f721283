// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

/// Where the lines of a text begin, to tell many places in one text without reading it again.
package struct TextLines: Sendable {
    /// A place that is known.
    private struct Mark {
        let offset: Int
        let position: TextPosition
    }

    /// How far a mark is from the one before, at most. A line may be as long as the text.
    private static let stride = 1024

    private let bytes: [UInt8]
    /// Where each line begins, and within long lines each ``stride``.
    private let marks: [Mark]

    package init(_ bytes: [UInt8]) {
        self.bytes = bytes
        var marks = [Mark(offset: 0, position: TextPosition(line: 1, column: 1))]
        var position = marks[0].position
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

    /// The place of a byte; an offset outside of the text stands for the nearer end.
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
