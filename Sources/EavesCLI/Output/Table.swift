// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

/// Columns of text under a line of headings.
struct Table {
    let headings: [String]
    /// Each row has as many texts as there are headings.
    var rows: [[String]] = []

    /// The lines of the table. Two spaces stand between columns, none at the end of a line.
    var text: String {
        let lines = [headings] + rows.map { $0.map(\.escapedLine) }
        let widths = headings.indices.map { column in lines.map { $0[column].width }.max() ?? 0 }
        var bytes: [UInt8] = []
        for line in lines {
            for (text, width) in zip(line, widths) {
                bytes += text.utf8
                bytes += repeatElement(UInt8(ascii: " "), count: width + 2 - text.width)
            }
            while bytes.last == UInt8(ascii: " ") { bytes.removeLast() }
            bytes.append(UInt8(ascii: "\n"))
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}

extension String {
    /// The text with spaces after it, up to a width.
    func padded(to width: Int) -> String {
        self + String(repeating: " ", count: max(0, width - count))
    }

    /// The number of characters. For ASCII, which most texts are, that is the number of bytes.
    fileprivate var width: Int {
        let isASCII = utf8.withContiguousStorageIfAvailable { $0.allSatisfy { $0 < 0x80 } }
        return isASCII == true ? utf8.count : count
    }
}
