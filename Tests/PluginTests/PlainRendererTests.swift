// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import CommonInterface
import EavesInterface
import Testing
import EavesTestSupport

@testable import RendererPlain

@Suite("The plain renderer", .onOwnThreads)
struct PlainRendererTests {
    private let screen = Screen(
        "Log in",
        [
            .text("Who are you?"), .field(Screen.Field("name", "Name", value: "Ada")),
            .field(Screen.Field("password", "Password", isSecret: true)),
            .choice(
                Screen.Choice(
                    "color", "Colour",
                    [Screen.Option("#f00", "red"), Screen.Option("", "none")],
                    selected: "")),
            .list(Screen.List("users", [Screen.Row("7", "Grace", detail: "g@navy.mil")])),
        ], actions: [Screen.Action("go", "Log in"), Screen.Action("new", "Register")])

    private func show(
        _ answers: [String], _ screen: Screen? = nil, _ frame: ScreenFrame = ScreenFrame()
    ) async throws -> (event: DisplayEvent, output: String) {
        let console = ScriptedConsole(answers: answers)
        let event = try await PlainDisplay(console: console).show(
            screen ?? self.screen, in: frame)
        return (event, console.output)
    }

    @Test("asks for each field and choice, and then for what to do")
    func asks() async throws {
        let shown = try await show(["", "secret", "RED", "log"])
        #expect(
            shown.output == """

                Log in
                ======
                Who are you?
                1. Grace (g@navy.mil)
                Name [Ada]: Password: 
                Colour (red, none) [none]: [a number | Log in | Register | Quit] 
                """)
        let form = Form(["name": "Ada", "password": "secret", "color": "#f00"])
        #expect(shown.event == .input(ScreenInput(.action("go"), form)))
    }

    @Test(
        "a word with a slash in front is a command at each question",
        arguments: [
            (
                ["/register"],
                DisplayEvent.input(ScreenInput(.action("new"), Form(["name": "Ada"])))
            ),
            (["/1"], .input(ScreenInput(.row("7", list: "users"), Form(["name": "Ada"])))),
            (["/quit"], .quit(Form(["name": "Ada"]))), ([], .quit(Form(["name": "Ada"]))),
            (["/nothing", "/quit"], .quit(Form(["name": "Ada"]))),
            (["//x", "/quit"], .quit(Form(["name": "/x", "password": ""]))),
        ])
    func commands(_ answers: [String], _ event: DisplayEvent) async throws {
        #expect(try await show(answers).event == event)
    }

    @Test("words that stand for nothing, or for several things, are asked for again")
    func unknown() async throws {
        let shown = try await show(["", "", "", "x", "9", "", "back"])
        #expect(
            shown.output.contains("'x' is nothing that can be done here. Type one of: Log in,"))
        #expect(shown.output.contains("There is no line 9."))
        // An empty line stands for the first action.
        guard case .input(let input) = shown.event else {
            Issue.record("expected an input, found \(shown.event)")
            return
        }
        #expect(input.kind == .action("go"))
    }

    @Test("shows the way back, what is filled in, and a notice")
    func frame() async throws {
        let frame = ScreenFrame(
            trail: ["Home"], form: Form(["name": "Bob"]), notice: "The name is\u{1b}[2J taken.")
        let shown = try await show(["", "", "", "back"], nil, frame)
        #expect(
            shown.output.hasPrefix(
                "\nHome > Log in\n=============\nProblem: The name is [2J taken.\n"))
        #expect(shown.output.contains("Name [Bob]: "))
        guard case .back = shown.event else {
            Issue.record("expected the way back, found \(shown.event)")
            return
        }
    }
}
