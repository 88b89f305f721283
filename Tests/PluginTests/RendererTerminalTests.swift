// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import CommonInterface
import EavesInterface
import EavesTestSupport
import Testing

@testable import RendererTerminal

/// The layout of screens and the meaning of keys, without a terminal.
@Suite("screens on a terminal", .onOwnThreads)
struct RendererTerminalTests {
    private let form = Screen(
        "Log in",
        [
            .text("Welcome to all."), .field(.init("name", "Name", value: "Grace")),
            .field(.init("word", "Password", value: "abc", isSecret: true)),
            .choice(
                .init(
                    "tongue", "Language", [.init("en", "English"), .init("de", "Deutsch")],
                    selected: "en")),
        ], actions: [.init("log-in", "Log in"), .init("register", "Register")])

    private func state(
        _ screen: Screen, _ frame: ScreenFrame = ScreenFrame(), rows: Int = 24, columns: Int = 80,
        hasColors: Bool = false, after former: ScreenState? = nil
    ) -> ScreenState {
        let size = Size(rows: rows, columns: columns)
        return ScreenState(
            screen, in: frame, on: Surface(size: size, hasColors: hasColors), after: former)
    }

    private func expect(
        _ event: DisplayEvent?, _ expected: DisplayEvent?,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        #expect(event == expected, sourceLocation: sourceLocation)
    }

    private func text(_ state: ScreenState) -> [String] { ScreenLayout(state).drawing.text }

    @Test("a screen stands below its title and above the keys")
    func wholeScreen() {
        let state = state(
            form, ScreenFrame(trail: ["Start"], notice: "You were away."), rows: 14, columns: 60)
        #expect(
            text(state) == [
                "  Start › Log in", "  Problem: You were away.", "",
                "  Welcome to all.", "",
                "▸ Name      [Grace                                   ]",
                "  Password  [•••                                     ]",
                "  Language  (•) English  ( ) Deutsch", "",
                "  [ Log in ]  [ Register ]", "", "", "",
                "  Tab next · Enter next · Esc back · Ctrl-C quit",
            ])
        #expect(ScreenLayout(state).drawing.cursor == Cell(row: 5, column: 18))
        #expect(ScreenLayout(state).drawing.showsCursor)
    }

    @Test("every size of a terminal is filled exactly, and the focus is seen")
    func allSizes() {
        let list = Screen.Element.list(
            .init(
                "rows",
                (1...3).map { .init("\($0)", "Zeile \($0) 日本", detail: "mehr", color: "#336") }))
        let screen = Screen(
            form.title, form.elements + [list, .problem("It is wrong.")], actions: form.actions)
        for isModal in [false, true] {
            let frame = ScreenFrame(trail: ["A", "B"], isModal: isModal, notice: "A note")
            for rows in [0, 1, 2, 3, 4, 6, 10, 24] {
                for columns in [0, 1, 2, 5, 12, 24, 40, 80] {
                    var state = state(screen, frame, rows: rows, columns: columns, hasColors: true)
                    for index in state.targets.indices {
                        let layout = ScreenLayout(state)
                        let drawing = layout.drawing
                        let isFilled =
                            drawing.lines.count == rows
                            && drawing.lines.allSatisfy { $0.width <= columns }
                        let cursor = drawing.cursor
                        let isInside =
                            (0..<max(rows, 1)).contains(cursor.row)
                            && (0..<max(columns, 1)).contains(cursor.column)
                        // At first a person sees the start of the text.
                        let isFocusSeen = rows == 0 || index == 0 || layout.showsFocus
                        if !isFilled || !isInside || !isFocusSeen {
                            Issue.record("\(rows) × \(columns), \(String(describing: state.focus))")
                        }
                        _ = state.press(.tab)
                    }
                }
            }
        }
    }

    @Test("a small terminal drops the empty lines, then scrolls below fixed actions")
    func small() {
        var state = state(form, rows: 6, columns: 40)
        #expect(
            text(state) == [
                "  Log in", "  Welcome to all.", "▸ Name      [Grace                    ]",
                "  Password  [•••                      ]", "  [ Log in ]  [ Register ]",
                "  Tab next · Esc leave · ^C quit     ↓",
            ])
        _ = state.press(.tab)
        _ = state.press(.tab)
        #expect(text(state).contains { $0.hasPrefix("▸ Language") })
    }

    @Test("a list is a table where it fits, else details follow on lines of their own")
    func lists() {
        let rows: [Screen.Row] = [
            .init("1", "Grace", detail: "admiral", color: "#3366cc"),
            .init("2", "山田", detail: "日本"),
        ]
        let screen = Screen("Users", [.list(.init("users", rows))])
        #expect(text(state(screen)).contains("▸ Grace  admiral"))
        #expect(text(state(screen, hasColors: true)).contains("▸ ■ Grace  admiral"))
        #expect(text(state(screen, hasColors: true)).contains("    山田   日本"))
        let narrow = text(state(screen, columns: 14))
        #expect(narrow[2...5] == ["▸ Grace", "  admiral", "  山田", "  日本"])
        let empty = Screen("Users", [.list(.init("users", [], placeholder: "No users."))])
        #expect(text(state(empty)).contains("  No users."))
    }

    @Test("a dialogue has a frame, which a small terminal leaves out")
    func dialogue() {
        let screen = Screen("Sure?", [.text("It is gone then.")], actions: [.init("yes", "Yes")])
        let frame = ScreenFrame(trail: ["Home"], isModal: true)
        let drawn = text(state(screen, frame, rows: 12, columns: 30))
        #expect(
            drawn[2...6] == [
                "┌─ Sure? ────────────────────┐", "│   It is gone then.         │",
                "│                            │", "│   [▸Yes◂]                  │",
                "└────────────────────────────┘",
            ])
        #expect(!text(state(screen, frame, rows: 9, columns: 30)).contains { $0.contains("│") })
    }

    @Test("the title cuts the way to it first, then itself")
    func title() {
        let frame = ScreenFrame(trail: ["First", "Second", "Third"])
        let screen = Screen("A long title")
        #expect(text(state(screen, frame))[0] == "  First › Second › Third › A long title")
        #expect(text(state(screen, frame, columns: 27))[0] == "  … › Third › A long title")
        #expect(text(state(screen, frame, columns: 20))[0] == "  … › A long title")
        #expect(text(state(screen, frame, columns: 10))[0] == "  A long…")
    }

    @Test("Tab goes around, arrows stop at the ends, and Up leaves the actions")
    func focus() {
        var state = state(form)
        #expect(state.focus == .field("name"))
        for (key, focus) in [
            (Key.up, Focus.field("name")), (.backTab, .action("register")),
            (.right, .action("log-in")), (.left, .action("register")), (.down, .action("register")),
            (.up, .choice("tongue")), (.tab, .action("log-in")),
        ] {
            _ = state.press(key)
            #expect(state.focus == focus, "\(key)")
        }
    }

    @Test("Enter leads through the fields to the first action")
    func enter() {
        var state = state(form)
        _ = state.press(.text("!"))
        expect(state.press(.enter), nil)
        expect(state.press(.enter), nil)
        expect(state.press(.right), nil)
        let expected = Form(["name": "Grace!", "word": "abc", "tongue": "de"])
        expect(state.press(.enter), .input(ScreenInput(.action("log-in"), expected)))
        _ = state.press(.backTab)
        _ = state.press(.backTab)
        _ = state.press(.backTab)
        expect(state.press(.enter), .input(ScreenInput(.action("register"), expected)))
        expect(state.press(.escape), .back(expected))
        expect(state.press(.quit), .quit(expected))
    }

    @Test("Enter opens the row that has the focus")
    func rows() {
        let list = Screen.List(
            "users", [.init("1", "Grace"), .init("2", "Edsger"), .init("3", "Zoë")])
        var state = state(Screen("Users", [.list(list)]))
        _ = state.press(.end)
        expect(state.press(.enter), .input(ScreenInput(.row("3", list: "users"))))
        _ = state.press(.up)
        expect(state.press(.text(" ")), .input(ScreenInput(.row("2", list: "users"))))
    }

    @Test("arrows choose an option and stop at the ends; a form is filled in by the frame")
    func choices() {
        var state = state(form, ScreenFrame(form: Form(["tongue": "de", "name": "Zoë"])))
        #expect(state.form == Form(["tongue": "de", "name": "Zoë", "word": "abc"]))
        _ = state.press(.tab)
        _ = state.press(.tab)
        for (key, id) in [
            (Key.right, "de"), (.left, "en"), (.left, "en"), (.end, "de"), (.home, "en"),
        ] {
            expect(state.press(key), nil)
            #expect(state.form["tongue"] == id)
        }
    }

    @Test("options that do not fit are shown one at a time")
    func wideChoice() {
        let options = (1...9).map { Screen.Option("\($0)", "Option number \($0)") }
        let screen = Screen("A", [.choice(.init("c", "Choice", options, selected: "4"))])
        #expect(text(state(screen, columns: 60)).contains("▸ Choice  ‹ Option number 4 ›  4 of 9"))
    }

    @Test("a long screen scrolls with the focus, and by pages; nothing is chosen unseen")
    func scrolling() {
        let rows = (1...30).map { Screen.Row("\($0)", "Row \($0)") }
        var state = state(Screen("Rows", [.list(.init("rows", rows))]), rows: 10, columns: 60)
        #expect(text(state).last?.hasSuffix("↓ more") == true)
        _ = state.press(.end)
        #expect(text(state)[8] == "▸ Row 30")
        #expect(text(state).last?.hasSuffix("↑ more") == true)
        _ = state.press(.pageUp)
        #expect(text(state)[1] == "  Row 16")
        #expect(text(state).last?.hasSuffix("↕ more") == true)
        expect(state.press(.enter), nil)
        #expect(text(state)[8] == "▸ Row 30")
        expect(state.press(.enter), .input(ScreenInput(.row("30", list: "rows"))))
    }

    @Test("a text that is longer than the terminal is read line by line")
    func reading() {
        let long = (1...30).map { "Line \($0)" }.joined(separator: "\n")
        var state = state(
            Screen("Text", [.text(long), .field(.init("f", "Field"))]), rows: 10, columns: 60)
        #expect(text(state)[1] == "  Line 1")
        _ = state.press(.down)
        #expect(text(state)[1] == "  Line 2")
        _ = state.press(.text("x"))
        #expect(text(state).contains { $0.hasPrefix("▸ Field  [x ") })
        #expect(state.form["f"] == "x")
    }

    @Test("the same screen goes on where the person was; a new problem is seen")
    func goesOn() {
        var former = state(form, rows: 8, columns: 40)
        for key in [Key.tab, .left, .text("!")] { _ = former.press(key) }
        var next = form
        next.elements.insert(.problem("The name is unknown."), at: 0)
        let frame = ScreenFrame(form: former.form)
        let state = state(next, frame, rows: 8, columns: 40, after: former)
        #expect(state.focus == .field("word"))
        #expect(state.lines["word"]?.cursor == 3)
        #expect(text(state).contains("  Problem: The name is unknown."))
        let other = self.state(form, ScreenFrame(trail: ["Home"]), after: former)
        #expect(other.focus == .field("name"))
    }

    @Test("an interruption keeps the secret that is being typed, an input does not")
    func secrets() {
        var former = state(form)
        for key in [Key.tab, .text("d")] { _ = former.press(key) }
        #expect(state(form, after: former).form["word"] == "abc")
        former.isInterrupted = true
        #expect(state(form, after: former).form["word"] == "abcd")
        #expect(state(form, ScreenFrame(trail: ["Home"]), after: former).form["word"] == "abc")
    }

    @Test("a terminal with few characters gets marks of ASCII")
    func ascii() {
        let surface = Surface(size: Size(rows: 12, columns: 60), marks: .of(terminal: "linux"))
        let frame = ScreenFrame(trail: ["Home"], isModal: true)
        let drawn = ScreenLayout(ScreenState(form, in: frame, on: surface)).drawing.text
        #expect(drawn.joined().unicodeScalars.allSatisfy { $0.isASCII })
        #expect(Marks.of(terminal: "xterm-256color") == .unicode)
    }

    @Test("it draws for persons at a terminal alone, and says why not")
    func obstacles() async {
        let renderer = TerminalRenderer(terminalType: { "dumb" })
        #expect(!renderer.canDraw(on: ScriptedConsole(answers: [])))
        #expect(!renderer.canDraw(on: ScriptedConsole()))
        await #expect(throws: TerminalError.notInteractive) {
            _ = try await renderer.open(on: ScriptedConsole())
        }
        #expect(
            "\(TerminalError.plainType("dumb"))"
                == "cannot draw on the terminal: TERM is 'dumb', expected a type with a movable cursor; "
                + "fix: set TERM to the terminal's type, such as 'xterm', "
                + "or choose another renderer with 'eaves swap ScreenRenderer …'")
    }
}
