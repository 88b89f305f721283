// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

/// A place in a text, as editors count it: line and column from 1 on.
package struct TextPosition: Hashable, Sendable {
    package var line: Int
    /// In Unicode scalars.
    package var column: Int

    package init(line: Int, column: Int) {
        self.line = line
        self.column = column
    }

    /// The place of a byte. Reads the text up to there: for many places in one text, make a
    /// ``TextLines``.
    ///
    /// - Parameters:
    ///   - offset: Counted in bytes. One outside of the text stands for the nearer end.
    ///   - bytes: The text, in UTF-8, with lines that end in LF or CRLF.
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
    /// As compilers write it: `3:14`.
    package var description: String { "\(line):\(column)" }
}
