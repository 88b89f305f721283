// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import CommonInterface
import Utility

/// The lines of a screen's content, from the first to the last, however many the terminal has.
struct ScreenBody {
    /// A line, which is made when it is seen: a list can be long.
    typealias Line = () -> DrawnLine

    private(set) var lines: [Line] = []
    /// The lines of all that can have the focus.
    private(set) var places: [Focus: Range<Int>] = [:]
    /// The lines of the elements, in their order.
    private(set) var elements: [Range<Int>] = []
    /// The lines before which an empty line separates what does not belong together.
    private(set) var gaps: [Int] = []
    /// The place of the focus; its row is that of the body.
    private(set) var cursor: Cell?

    private let state: ScreenState
    /// Without the two columns at the left, which mark the focus.
    private let width: Int
    private let labelWidth: Int

    private static let margin = 2
    private static let gap = 2
    /// A field shows at most that many columns, and is not worth showing with less than the least.
    private static let field = 6...40

    /// Without empty lines, until ``spread()`` adds them.
    init(_ state: ScreenState, columns: Int) {
        self.state = state
        width = max(columns - Self.margin, 1)
        let labels = state.screen.elements.compactMap { element -> Int? in
            switch element {
            case .field(let field): field.label.columns
            case .choice(let choice): choice.label.columns
            default: nil
            }
        }
        let widest = min(labels.max() ?? 0, max(width / 3, 8))
        labelWidth = width - widest - Self.gap - 2 >= Self.field.lowerBound ? widest : 0
        var former: Screen.Element?
        for element in state.screen.elements {
            if let former, !Self.belongTogether(former, element) { gaps.append(lines.count) }
            let start = lines.count
            add(element)
            elements.append(start..<lines.count)
            former = element
        }
    }

    private mutating func append(_ line: DrawnLine) {
        lines.append { line }
    }

    private static func belongTogether(_ first: Screen.Element, _ second: Screen.Element) -> Bool {
        switch (first, second) {
        case (.field, .field), (.field, .choice), (.choice, .field), (.choice, .choice): true
        default: false
        }
    }

    private mutating func add(_ element: Screen.Element) {
        switch element {
        case .text(let text): add(text, .plain)
        case .problem(let text): add("Problem: " + text, .problem)
        case .field(let field): add(field)
        case .choice(let choice): add(choice)
        case .list(let list): add(list)
        @unknown default: add("(This part needs a newer renderer.)", .faint)
        }
    }

    private mutating func add(_ text: String, _ style: Style) {
        for line in text.wrapped(to: width) {
            append(DrawnLine(line, style).indented(by: Self.margin))
        }
    }

    /// Adds a line that can have the focus, behind the mark of the focus.
    ///
    /// - Parameter column: The column of the cursor in the line.
    private mutating func add(
        for focus: Focus, cursor column: Int = 0, _ line: @escaping Line
    ) {
        let isFocused = state.focus == focus
        let mark = isFocused ? "\(state.surface.marks.focus) " : "  "
        if isFocused, cursor == nil {
            cursor = Cell(row: lines.count, column: column > 0 ? column + Self.margin : 0)
        }
        let start = places[focus]?.lowerBound ?? lines.count
        lines.append {
            var marked = DrawnLine(mark, .strong)
            marked.add(line())
            return marked
        }
        places[focus] = start..<lines.count
    }

    private func style(_ focus: Focus, _ others: Style = .plain) -> Style {
        state.focus == focus ? .strong : others
    }

    /// Starts the line of a field or a choice with its label. A long one has lines of its own.
    private mutating func labelled(_ label: String, _ focus: Focus) -> DrawnLine {
        let glyphs = label.glyphs
        var line = DrawnLine()
        if glyphs.width <= labelWidth {
            line.add(glyphs, style(focus))
            if labelWidth > 0 { line.pad(to: labelWidth + Self.gap) }
        } else {
            let start = lines.count
            for part in label.wrapped(to: width) {
                append(DrawnLine(part, style(focus)).indented(by: Self.margin))
            }
            places[focus] = start..<lines.count
        }
        return line
    }

    private mutating func add(_ field: Screen.Field) {
        let focus = Focus.field(field.id)
        let marks = state.surface.marks
        var line = labelled(field.label, focus)
        let room = width - line.width - 2
        let view = LineView(
            state.lines[field.id] ?? LineEditor(field.value),
            columns: max(min(room, Self.field.upperBound), 1),
            secret: field.isSecret ? marks.secret : nil)
        let start = line.width + 1
        line.add(view.hidesStart ? String(marks.less) : "[", style(focus, .faint))
        line.add(view.glyphs, .input)
        line.add(view.hidesEnd ? String(marks.more) : "]", style(focus, .faint))
        add(for: focus, cursor: start + view.cursor) { line }
    }

    private mutating func add(_ choice: Screen.Choice) {
        let focus = Focus.choice(choice.id)
        let marks = state.surface.marks
        let chosen = state.choices[choice.id] ?? choice.selected
        var line = labelled(choice.label, focus)
        let room = max(width - line.width, 1)
        var all = DrawnLine()
        for option in choice.options {
            let isChosen = option.id == chosen
            if all.width > 0 { all.pad(to: all.width + Self.gap) }
            all.add("(\(isChosen ? marks.chosen : " ")) ", isChosen ? style(focus) : .faint)
            all.add(option.title, isChosen ? style(focus) : .faint)
        }
        if all.width <= room {
            line.add(all)
        } else {
            let index = choice.options.firstIndex { $0.id == chosen }
            let count = "  \((index ?? -1) + 1) of \(choice.options.count)"
            let title = index.map { choice.options[$0].title } ?? ""
            let hasCount = room >= count.glyphs.width + 10
            let titleRoom = max(room - 4 - (hasCount ? count.glyphs.width : 0), 1)
            line.add("\(marks.less) ", style(focus, .faint))
            line.add(title.glyphs(cutTo: titleRoom, mark: marks.cut), style(focus))
            line.add(" \(marks.more)", style(focus, .faint))
            if hasCount { line.add(count, .faint) }
        }
        add(for: focus) { line }
    }

    private mutating func add(_ list: Screen.List) {
        guard !list.rows.isEmpty else { return add(list.placeholder, .faint) }
        let marks = state.surface.marks
        let colors = list.rows.map { row in
            state.surface.hasColors ? row.color.flatMap { Color(hex: $0) } : nil
        }
        let swatch = colors.contains { $0 != nil } ? 2 : 0
        let titles = list.rows.map(\.title.columns).max() ?? 0
        let details = list.rows.map(\.detail.columns).max() ?? 0
        let isTable = swatch + titles + Self.gap + details <= width
        for (row, color) in zip(list.rows, colors) {
            let focus = Focus.row(row.id, list: list.id)
            let style: Style = state.focus == focus ? .focused : .plain
            func start() -> DrawnLine {
                var start = DrawnLine()
                if let color { start.add("\(marks.swatch) ", .swatch(color)) }
                start.pad(to: swatch)
                return start
            }
            if isTable {
                add(for: focus) {
                    var line = start()
                    line.add(row.title, style)
                    if !row.detail.isEmpty {
                        line.pad(to: swatch + titles + Self.gap)
                        line.add(row.detail, .faint)
                    }
                    return line
                }
            } else {
                for (index, part) in row.title.wrapped(to: width - swatch).enumerated() {
                    var line = index == 0 ? start() : DrawnLine().indented(by: swatch)
                    line.add(part, style)
                    if index == 0 {
                        add(for: focus) { [line] in line }
                    } else {
                        extend(focus, line)
                    }
                }
                let indent = swatch + (width > 12 ? Self.gap : 0)
                let rest = row.detail.isEmpty ? [] : row.detail.wrapped(to: width - indent)
                for part in rest { extend(focus, DrawnLine(part, .faint).indented(by: indent)) }
            }
        }
    }

    /// Adds a further line of the thing that was added last.
    private mutating func extend(_ focus: Focus, _ line: DrawnLine) {
        append(line.indented(by: Self.margin))
        places[focus] = (places[focus]?.lowerBound ?? lines.count - 1)..<lines.count
    }

    /// Adds the empty lines.
    mutating func spread() {
        func moved(_ range: Range<Int>) -> Range<Int> {
            let count = gaps.count { $0 <= range.lowerBound }
            return range.lowerBound + count..<range.upperBound + count
        }
        places = places.mapValues(moved)
        elements = elements.map(moved)
        if let cell = cursor { cursor?.row = moved(cell.row..<cell.row).lowerBound }
        for gap in gaps.reversed() { lines.insert({ DrawnLine() }, at: gap) }
        gaps = []
    }

    /// Adds the actions at the end of the content.
    mutating func add(_ buttons: Buttons, afterGap hasGap: Bool) {
        guard !buttons.lines.isEmpty else { return }
        if hasGap, !lines.isEmpty { append(DrawnLine()) }
        let start = lines.count
        for line in buttons.lines { append(line) }
        for (focus, row) in buttons.rows { places[focus] = start + row..<start + row + 1 }
        if let cell = buttons.cursor {
            cursor = Cell(row: start + cell.row, column: cell.column)
        }
    }
}

/// The actions of a screen, as buttons in a row that wraps.
struct Buttons {
    private(set) var lines: [DrawnLine] = []
    private(set) var rows: [Focus: Int] = [:]
    /// The place of the focus, if a button has it.
    private(set) var cursor: Cell?

    init(_ state: ScreenState, columns: Int) {
        let marks = state.surface.marks
        let width = max(columns - 2, 1)
        for action in state.screen.actions {
            let focus = Focus.action(action.id)
            let isFocused = state.focus == focus
            let title = action.title.glyphs(cutTo: max(width - 4, 1), mark: marks.cut)
            let isFirst = lines.isEmpty
            if isFirst || lines[lines.count - 1].width + 2 + title.width + 4 > width + 2 {
                lines.append(DrawnLine().indented(by: 2))
            } else {
                lines[lines.count - 1].add("  ", .plain)
            }
            let row = lines.count - 1
            if isFocused { cursor = Cell(row: row, column: lines[row].width) }
            let style: Style = isFocused ? .focused : .plain
            lines[row].add(isFocused ? "[\(marks.focus)" : "[ ", style)
            lines[row].add(title, style)
            lines[row].add(isFocused ? "\(marks.focusEnd)]" : " ]", style)
            rows[focus] = row
        }
    }
}
