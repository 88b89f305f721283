// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import CommonInterface

/// Arranges a screen on a terminal: a line with the title and the way to it, the content, the actions, and
/// a line with the keys. The content scrolls if it has more lines than there is room for.
struct ScreenLayout {
    private let state: ScreenState
    private let body: ScreenBody
    /// The actions, if they stay in place while the content scrolls.
    private let footer: [DrawnLine]
    private let footerCursor: Cell?
    private let notice: [DrawnLine]
    private let hasTitle: Bool
    private let hasKeys: Bool
    /// The columns inside the frame of a dialogue; `nil` if there is no frame.
    private let framed: Int?
    /// The empty lines above the content.
    private let top: Int
    /// The number of lines of the content that are seen at once.
    let rows: Int
    /// The content's first line that is seen.
    let scroll: Int

    /// A text is hard to read if its lines are longer. In columns.
    private static let longestLine = 78
    private static let longestDialogueLine = 58

    init(_ state: ScreenState) {
        self.state = state
        let size = state.surface.size
        hasTitle = size.rows >= 3
        hasKeys = size.rows >= 4
        let isFramed = state.frame.isModal && size.columns >= 24 && size.rows >= 10
        let inner = min(size.columns - 4, Self.longestDialogueLine)
        framed = isFramed ? inner : nil
        let columns = isFramed ? inner : min(size.columns - 1, Self.longestLine)
        let bars = (hasTitle ? 1 : 0) + (hasKeys ? 1 : 0)
        let inside = max(size.rows - bars - (isFramed ? 2 : 0), 0)
        notice = Self.notice(state, columns, rows: inside / 3)
        let room = inside - notice.count
        let buttons = Buttons(state, columns: columns)

        // With empty lines if all of it fits then, else without.
        var body = ScreenBody(state, columns: columns)
        let compact = body.lines.count + buttons.lines.count
        let hasGap = !body.lines.isEmpty && !buttons.lines.isEmpty
        let spacious = compact + body.gaps.count + (hasGap ? 1 : 0)
        let areButtonsFixed =
            compact > room && room >= 4 && (1...max(room / 3, 1)).contains(buttons.lines.count)
        if spacious <= room {
            body.spread()
            body.add(buttons, afterGap: true)
            top = isFramed ? (room - spacious) / 3 : min(room - spacious, 1)
            (footer, footerCursor, rows) = ([], nil, spacious)
        } else if areButtonsFixed {
            let isRoomy = room >= 12
            if isRoomy { body.spread() }
            top = 0
            footer = (isRoomy ? [DrawnLine()] : []) + buttons.lines
            footerCursor = buttons.cursor.map {
                Cell(row: $0.row + (isRoomy ? 1 : 0), column: $0.column)
            }
            rows = min(room - footer.count, body.lines.count)
        } else {
            body.add(buttons, afterGap: false)
            top = 0
            (footer, footerCursor, rows) = ([], nil, min(room, compact))
        }
        self.body = body
        scroll = min(max(state.scroll, 0), max(body.lines.count - rows, 0))
    }

    /// The content's lines of all that can have the focus and scrolls.
    var places: [Focus: Range<Int>] { body.places }
    /// The content's lines of the elements.
    var elements: [Range<Int>] { body.elements }
    var lastScroll: Int { max(body.lines.count - rows, 0) }
    /// The number of lines to scroll by at once.
    var page: Int { max(rows - 1, 1) }

    /// The content's line that has the cursor; `nil` if nothing that scrolls has the focus.
    var focusRow: Int? { body.cursor?.row }
    /// Whether the focus is seen.
    var showsFocus: Bool {
        focusRow.map { $0 >= scroll && $0 < scroll + rows } ?? true
    }

    var drawing: Drawing {
        let size = state.surface.size
        var lines: [DrawnLine] = []
        var cursor: Cell?
        if hasTitle { lines.append(titleBar) }
        var content = notice + Array(repeating: DrawnLine(), count: framed == nil ? top : 0)
        if let cell = body.cursor, showsFocus {
            cursor = Cell(row: content.count + cell.row - scroll, column: cell.column)
        }
        content += body.lines[scroll..<scroll + rows].map { $0() }
        if let cell = footerCursor {
            cursor = Cell(row: content.count + cell.row, column: cell.column)
        }
        content += footer
        let (framedLines, left, above) = inFrame(content)
        if let cell = cursor {
            cursor = Cell(row: cell.row + lines.count + above, column: cell.column + left)
        }
        lines += framedLines
        if hasKeys {
            while lines.count < size.rows - 1 { lines.append(.init()) }
            lines = Array(lines.prefix(size.rows - 1)) + [keyBar]
        }
        lines = lines.prefix(size.rows).map { $0.cut(to: size.columns) }
        while lines.count < size.rows { lines.append(.init()) }
        var showsCursor = false
        if case .field = state.focus, cursor != nil { showsCursor = true }
        let place = cursor ?? Cell(row: max(size.rows - 1, 0), column: 0)
        return Drawing(
            lines: lines,
            cursor: Cell(
                row: min(max(place.row, 0), max(size.rows - 1, 0)),
                column: min(max(place.column, 0), max(size.columns - 1, 0))),
            showsCursor: showsCursor)
    }

    private static func notice(_ state: ScreenState, _ columns: Int, rows: Int) -> [DrawnLine] {
        guard let text = state.frame.notice, !text.isEmpty, rows > 0 else { return [] }
        let marks = state.surface.marks
        var lines = ("Problem: " + text).wrapped(to: max(columns - 2, 1))
        if lines.count > rows {
            let rest = lines[(rows - 1)...].map(\.text).joined(separator: " ")
            lines[rows - 1] = rest.glyphs(cutTo: max(columns - 2, 1), mark: marks.cut)
            lines.removeSubrange(rows...)
        }
        return lines.map { DrawnLine($0, .strong).indented(by: 2) }
    }

    /// The title, behind the titles of the screens below as far as there is room.
    private var titleBar: DrawnLine {
        let marks = state.surface.marks
        let columns = state.surface.size.columns
        let title = state.screen.title.glyphs(cutTo: max(columns - 3, 1), mark: marks.cut)
        var trail: [Glyph] = []
        for name in state.frame.trail.reversed() {
            let longer = "\(name) \(marks.step) ".glyphs + trail
            guard longer.width + title.width + 3 <= columns else {
                let cut = "\(marks.cut) \(marks.step) ".glyphs + trail
                if cut.width + title.width + 3 <= columns { trail = cut }
                break
            }
            trail = longer
        }
        var line = DrawnLine("  ", .bar)
        line.add(trail, .bar)
        line.add(title, .title)
        line.pad(to: columns, .bar)
        return line
    }

    /// The keys that mean something now: those that a person needs most, as far as there is room.
    private var keyBar: DrawnLine {
        let marks = state.surface.marks
        let columns = state.surface.size.columns
        var more = ""
        if lastScroll > 0 {
            let isBetween = scroll > 0 && scroll < lastScroll
            let sign = isBetween ? marks.both : scroll == 0 ? marks.below : marks.above
            more = columns < 60 ? sign : "\(sign) more"
        }
        let room = columns - 2 - (more.isEmpty ? 1 : more.glyphs.width + 3)
        var line = DrawnLine("  ", .bar)
        line.add(KeyHints(state).text(in: room), .bar)
        if !more.isEmpty {
            line.pad(to: max(columns - more.glyphs.width - 2, line.width), .bar)
            line.add(more, .bar)
        }
        line.pad(to: columns, .bar)
        return line
    }

    /// The content in the frame of a dialogue, with the columns at its left and the lines above it.
    private func inFrame(_ content: [DrawnLine]) -> ([DrawnLine], left: Int, above: Int) {
        guard let framed else { return (content, 0, 0) }
        let marks = state.surface.marks.frame
        let left = max((state.surface.size.columns - framed - 4) / 2, 0)
        let indent = DrawnLine().indented(by: left)
        let title = state.screen.title.glyphs(cutTo: framed - 2, mark: state.surface.marks.cut)
        var border = indent
        border.add("\(marks[0])\(marks[4]) ")
        border.add(title, .strong)
        let rest = framed - title.width - 1
        border.add(" \(String(repeating: marks[4], count: rest))\(marks[1])")
        var lines = Array(repeating: DrawnLine(), count: top) + [border]
        for content in content {
            var line = indent
            line.add("\(marks[5]) ")
            line.add(content.cut(to: framed))
            line.pad(to: left + 2 + framed)
            line.add(" \(marks[5])")
            lines.append(line)
        }
        border = indent
        border.add("\(marks[2])\(String(repeating: marks[4], count: framed + 2))\(marks[3])")
        lines.append(border)
        return (lines, left + 2, top + 1)
    }
}

/// The words about the keys that mean something now.
private struct KeyHints {
    /// In the order in which they are written, each with its importance: 0 is said first.
    private let hints: [(text: String, short: String, importance: Int)]
    private let separator: String

    init(_ state: ScreenState) {
        separator = " \(state.surface.marks.dot) "
        var hints: [(String, String, Int)] = []
        if state.targets.count > 1 { hints.append(("Tab next", "Tab next", 3)) }
        switch state.focus {
        case .field, .choice:
            if case .choice = state.focus {
                hints.append(("Left/Right change", "Left/Right", 1))
            }
            if state.targets.last(where: \.isEntry) != state.focus {
                hints.append(("Enter next", "Enter next", 4))
            } else if let action = state.screen.actions.first {
                hints.append(("Enter \(action.title)", "Enter ok", 0))
            }
        case .row: hints.append(("Enter open", "Enter open", 0))
        case .action: hints.append(("Enter choose", "Enter ok", 0))
        case nil: break
        }
        let leave = state.frame.isModal ? "close" : state.frame.canGoBack ? "back" : "leave"
        hints.append(("Esc \(leave)", "Esc \(leave)", 2))
        hints.append(("Ctrl-C quit", "^C quit", 1))
        self.hints = hints
    }

    func text(in columns: Int) -> String {
        let long = hints.map(\.text).joined(separator: separator)
        if long.glyphs.width <= columns { return long }
        for least in stride(from: 5, through: 1, by: -1) {
            let text = hints.filter { $0.importance < least }.map(\.short)
                .joined(separator: separator)
            if text.glyphs.width <= columns { return text }
        }
        return ""
    }
}
