// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

/// Columns of text under a line of headings.
package struct Table {
    /// The way in which a column becomes narrower for a terminal.
    enum Fit {
        case stays
        /// Its texts are cut. It is left out where they would tell nothing.
        case isCut
        /// It is left out before anything is cut.
        case isLeftOut
    }

    package struct Column: ExpressibleByStringLiteral {
        let heading: String
        let fit: Fit
        /// The number of the colour in which a terminal shows a text; `nil` for its usual one.
        let color: (@Sendable (String) -> String?)?

        init(_ heading: String, _ fit: Fit = .stays, color: (@Sendable (String) -> String?)? = nil)
        {
            (self.heading, self.fit, self.color) = (heading, fit, color)
        }

        package init(stringLiteral heading: String) { self.init(heading) }
    }

    let columns: [Column]
    /// Each row has as many texts as there are columns.
    let rows: [[String]]

    package init(_ columns: [Column], rows: [[String]]) {
        self.columns = columns
        self.rows = rows
    }

    /// The lines of the table, as wide as its texts are.
    package var text: String { text(.plain) }

    /// The lines of the table. Two spaces stand between columns, none at the end of a line.
    func text(_ style: PageStyle) -> String {
        let lines = [columns.map(\.heading)] + rows.map { $0.map(\.escapedLine) }
        let natural = columns.indices.map { column in lines.map { $0[column].width }.max() ?? 0 }
        let widths = style.columns.map { fitted(natural, to: $0) } ?? natural
        let shown = columns.indices.filter { widths[$0] > 0 }
        var bytes: [UInt8] = []
        for (number, line) in lines.enumerated() {
            for column in shown {
                let text = line[column].cut(to: widths[column])
                let isPlain = number == 0 || !style.isColored
                let color = isPlain ? nil : columns[column].color?(text)
                bytes += (color.map { "\u{1b}[\($0)m\(text)\u{1b}[0m" } ?? text).utf8
                guard column != shown.last else { continue }
                bytes += repeatElement(
                    UInt8(ascii: " "), count: widths[column] + Self.gap - text.width)
            }
            while bytes.last == UInt8(ascii: " ") { bytes.removeLast() }
            bytes.append(UInt8(ascii: "\n"))
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static let gap = 2
    /// The width below which a text tells nothing.
    private static let leastWidth = 8

    /// The widths of the columns in a terminal's window. A column that is left out has the width 0.
    private func fitted(_ natural: [Int], to limit: Int) -> [Int] {
        func places(_ fit: Fit) -> [Int] { columns.indices.filter { columns[$0].fit == fit } }
        var widths = natural
        func space() -> Int {
            let shown = widths.filter { $0 > 0 }
            return limit - shown.reduce(0, +) - (shown.count - 1) * Self.gap
        }
        for place in places(.isLeftOut).reversed() where space() < 0 { widths[place] = 0 }
        var cut = places(.isCut)
        while space() < 0, !cut.isEmpty {
            let forCut = space() + cut.reduce(0) { $0 + widths[$1] }
            if forCut >= cut.reduce(0, { $0 + min(natural[$1], Self.leastWidth) }) {
                return divided(forCut, among: cut, widths)
            }
            widths[cut.removeLast()] = 0
        }
        return widths
    }

    /// Divides the window among columns: each has at most its natural width, and the rest goes to the others.
    private func divided(_ space: Int, among cut: [Int], _ natural: [Int]) -> [Int] {
        var widths = natural
        var space = space
        for (number, column) in cut.sorted(by: { natural[$0] < natural[$1] }).enumerated() {
            widths[column] = min(natural[column], space / (cut.count - number))
            space -= widths[column]
        }
        return widths
    }
}

/// How a text for people is made for the place where it appears.
package struct PageStyle: Sendable {
    /// The width of the terminal's window, in characters; `nil` for a file or a pipe, whose lines have any length.
    var columns: Int?
    var isColored: Bool

    /// Everything, in one colour.
    static let plain = PageStyle(columns: nil, isColored: false)
}

extension String {
    /// The text with spaces after it, up to a width.
    package func padded(to width: Int) -> String {
        self + String(repeating: " ", count: max(0, width - count))
    }

    /// The text, or its beginning with an ellipsis if it is wider.
    func cut(to width: Int) -> String {
        if self.width <= width { return self }
        return width < 1 ? "" : prefix(width - 1) + "…"
    }

    /// The number of characters. For ASCII, which most texts are, that is the number of bytes.
    fileprivate var width: Int {
        let isASCII = utf8.withContiguousStorageIfAvailable { $0.allSatisfy { $0 < 0x80 } }
        return isASCII == true ? utf8.count : count
    }
}
