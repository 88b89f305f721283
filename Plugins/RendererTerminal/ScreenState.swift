// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import CommonInterface

/// The thing that keys go to.
enum Focus: Hashable, Sendable {
    case field(String)
    case choice(String)
    case row(String, list: String)
    case action(String)

    /// Whether the person fills it in.
    var isEntry: Bool {
        switch self {
        case .field, .choice: true
        case .row, .action: false
        }
    }

    var isAction: Bool {
        if case .action = self { true } else { false }
    }
}

/// The terminal, as far as a layout depends on it.
struct Surface: Hashable, Sendable {
    var size: Size
    var marks = Marks.unicode
    var hasColors = false
}

/// A screen that a person uses: the content of its fields, the focus, and how far it is scrolled.
///
/// A value that knows no terminal: keys go in, and a drawing and what the person did come out.
struct ScreenState: Sendable {
    let screen: Screen
    let frame: ScreenFrame
    var surface: Surface
    private(set) var lines: [String: LineEditor] = [:]
    private(set) var choices: [String: String] = [:]
    private(set) var focus: Focus?
    /// The number of the body's lines above those that are seen.
    private(set) var scroll = 0
    /// Whether the person was interrupted. A navigation keeps no secrets, so the next state keeps those.
    var isInterrupted = false
    /// All that can have the focus, from top to bottom.
    let targets: [Focus]

    /// - Parameters:
    ///   - former: The state of the screen that was shown before. If it is the same screen, the person
    ///     goes on at the same place.
    ///   - remembered: The focus that the screen had before another one covered it.
    init(
        _ screen: Screen, in frame: ScreenFrame, on surface: Surface,
        after former: ScreenState? = nil, remembered: Focus? = nil
    ) {
        self.screen = screen
        self.frame = frame
        self.surface = surface
        targets = Self.targets(of: screen)
        let former = former.flatMap { $0.continues(as: screen, in: frame) ? $0 : nil }
        for element in screen.elements {
            switch element {
            case .field(let field):
                let text = frame.form.values[field.id] ?? field.value
                let line = former?.lines[field.id]
                let isKept = field.isSecret && former?.isInterrupted == true
                let isSame = line?.text == text || isKept && frame.form.values[field.id] == nil
                lines[field.id] = isSame ? line ?? LineEditor(text) : LineEditor(text)
            case .choice(let choice):
                let given = frame.form.values[choice.id]
                let isKnown = choice.options.contains { $0.id == given }
                choices[choice.id] = isKnown ? given : choice.selected
            default: break
            }
        }
        let place = former?.focus ?? remembered
        focus = place.flatMap { targets.contains($0) ? $0 : nil } ?? targets.first
        scroll = former?.scroll ?? 0
        if place != nil { reveal() }
        showNewProblem(after: former)
    }

    /// The content of all fields and choices.
    var form: Form {
        Form(lines.mapValues(\.text).merging(choices) { line, _ in line })
    }

    /// Performs what the person asks for.
    ///
    /// - Returns: The event, if the navigation has to know of it.
    mutating func press(_ key: Key) -> DisplayEvent? {
        let layout = ScreenLayout(self)
        scroll = layout.scroll
        switch key {
        case .escape: return .back(form)
        case .quit: return .quit(form)
        case .tab: move(by: 1)
        case .backTab: move(by: -1)
        case .up, .down: step(down: key == .down, layout)
        case .pageUp: scroll = max(scroll - layout.page, 0)
        case .pageDown: scroll = min(scroll + layout.page, layout.lastScroll)
        default:
            // A person cannot choose a part that is out of sight.
            guard layout.showsFocus || isText(key) else {
                reveal()
                return nil
            }
            return use(key)
        }
        return nil
    }

    /// Scrolls as little as needed to show the focus.
    mutating func reveal() {
        let layout = ScreenLayout(self)
        scroll = layout.scroll
        guard let focus, let place = layout.places[focus] else { return }
        if place.count > layout.rows {
            scroll = layout.focusRow ?? place.lowerBound
        } else if place.lowerBound < scroll {
            // The first thing takes the text above it along.
            let isFirst = focus == targets.first && place.upperBound <= layout.rows
            scroll = isFirst ? 0 : place.lowerBound
        } else if place.upperBound > scroll + layout.rows {
            scroll = place.upperBound - layout.rows
        }
    }

    private func isText(_ key: Key) -> Bool {
        if case .field = focus, key != .enter { return true }
        return false
    }

    /// Hands a key to the focused thing.
    private mutating func use(_ key: Key) -> DisplayEvent? {
        defer { reveal() }
        switch focus {
        case .field(let id):
            if key == .enter { return leaveEntry() }
            _ = lines[id]?.press(key)
        case .choice(let id):
            switch key {
            case .enter: return leaveEntry()
            case .left: choose(id, by: -1)
            case .right, .text(" "): choose(id, by: 1)
            case .home: choose(id, by: .min)
            case .end: choose(id, by: .max)
            default: break
            }
        case .row(let id, let list):
            switch key {
            case .enter, .text(" "): return .input(ScreenInput(.row(id, list: list), form))
            case .home: focus = targets.first(where: isRow(of: list))
            case .end: focus = targets.last(where: isRow(of: list))
            default: break
            }
        case .action(let id):
            switch key {
            case .enter, .text(" "): return .input(ScreenInput(.action(id), form))
            case .left: move(by: -1, among: \.isAction)
            case .right: move(by: 1, among: \.isAction)
            default: break
            }
        case nil: break
        }
        return nil
    }

    /// Enter in a field leads to the next one, and from the last one to the first action.
    private mutating func leaveEntry() -> DisplayEvent? {
        let index = focus.flatMap(targets.firstIndex(of:)) ?? 0
        if let next = targets[(index + 1)...].first(where: \.isEntry) {
            focus = next
            return nil
        }
        return screen.actions.first.map { .input(ScreenInput(.action($0.id), form)) }
    }

    private mutating func choose(_ id: String, by distance: Int) {
        for case .choice(let choice) in screen.elements where choice.id == id {
            let options = choice.options
            guard !options.isEmpty else { return }
            let index = options.firstIndex { $0.id == choices[id] } ?? 0
            let sum = index.addingReportingOverflow(distance)
            let next = sum.overflow ? distance : sum.partialValue
            choices[id] = options[min(max(next, 0), options.count - 1)].id
        }
    }

    /// Moves the focus, around from the last thing to the first.
    private mutating func move(by distance: Int, among isWanted: (Focus) -> Bool = { _ in true }) {
        let wanted = targets.filter(isWanted)
        guard !wanted.isEmpty else { return }
        let index = focus.flatMap(wanted.firstIndex(of:)) ?? (distance > 0 ? -1 : 0)
        focus = wanted[(index + distance + wanted.count) % wanted.count]
        reveal()
    }

    /// Moves to the next line that can have the focus; a line of text on the way is scrolled to first.
    private mutating func step(down: Bool, _ layout: ScreenLayout) {
        if let row = layout.focusRow, !layout.showsFocus, down == (row > layout.scroll) {
            scroll += down ? 1 : -1
            return
        }
        let index = focus.flatMap(targets.firstIndex(of:))
        let next =
            if down {
                targets[(index.map { $0 + 1 } ?? 0)...].first
            } else {
                above(index ?? 0)
            }
        if let next {
            focus = next
            reveal()
        } else {
            scroll = down ? min(scroll + 1, layout.lastScroll) : max(scroll - 1, 0)
        }
    }

    /// The thing above another one. All actions stand next to each other.
    private func above(_ index: Int) -> Focus? {
        guard index > 0 else { return nil }
        let former = targets[..<index]
        return targets[index].isAction ? former.last { !$0.isAction } ?? former.last : former.last
    }

    private func isRow(of list: String) -> (Focus) -> Bool {
        { target in
            if case .row(_, list) = target { true } else { false }
        }
    }

    private static func targets(of screen: Screen) -> [Focus] {
        var targets: [Focus] = []
        for element in screen.elements {
            switch element {
            case .field(let field): targets.append(.field(field.id))
            case .choice(let choice): targets.append(.choice(choice.id))
            case .list(let list): targets += list.rows.map { .row($0.id, list: list.id) }
            default: break
            }
        }
        return targets + screen.actions.map { .action($0.id) }
    }

    /// Whether this is the screen that is shown next, maybe with other content.
    private func continues(as next: Screen, in frame: ScreenFrame) -> Bool {
        self.frame.trail == frame.trail && self.frame.isModal == frame.isModal
            && (screen.title == next.title || targets == Self.targets(of: next))
    }

    /// Scrolls to a problem that was not there before, and that would not be seen.
    private mutating func showNewProblem(after former: ScreenState?) {
        guard let former else { return }
        let layout = ScreenLayout(self)
        scroll = layout.scroll
        for (element, place) in zip(screen.elements, layout.elements) {
            guard case .problem = element, !former.screen.elements.contains(element) else {
                continue
            }
            let isSeen = place.lowerBound >= scroll && place.upperBound <= scroll + layout.rows
            if !isSeen { scroll = min(place.lowerBound, layout.lastScroll) }
            return
        }
    }
}
