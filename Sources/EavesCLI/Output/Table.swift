// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

/// Columns of text under a line of headings.
struct Table {
    let headings: [String]
    var rows: [[String]] = []

    /// The table's lines; no spaces at their ends.
    var text: String {
        let lines = [headings] + rows
        let widths = headings.indices.map { column in lines.map { $0[column].count }.max() ?? 0 }
        return lines.map { line in
            var text = zip(line, widths).map { $0.padded(to: $1) }.joined(separator: "  ")
            while text.last == " " { text.removeLast() }
            return text + "\n"
        }.joined()
    }
}
