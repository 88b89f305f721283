// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

/// Where the lines of a text begin, to tell many places in one text without reading it again.
package struct TextLines: Sendable {
    private let bytes: [UInt8]
    private let starts: [Int]

    package init(_ bytes: [UInt8]) {
        self.bytes = bytes
        var starts = [0]
        for offset in bytes.indices where bytes[offset] == .lineFeed { starts.append(offset + 1) }
        self.starts = starts
    }

    /// The place of a byte; an offset outside of the text stands for the nearer end.
    package func position(of offset: Int) -> TextPosition {
        let offset = min(max(offset, 0), bytes.count)
        var (low, high) = (0, starts.count)
        while high - low > 1 {
            let middle = (low + high) / 2
            if starts[middle] <= offset { low = middle } else { high = middle }
        }
        let column = 1 + bytes[starts[low]..<offset].countOfScalars
        return TextPosition(line: low + 1, column: column)
    }
}
