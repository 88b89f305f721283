// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesTestSupport
import Foundation
import Glibc
import Testing

@testable import EndToEndSupport

/// The renderer on a real terminal, with screens of a module that knows it only by its service.
@Suite(
    "screens on the whole terminal", .onOwnThreads, .patiently,
    .enabled(if: TerminalWindow.isPossible, "needs tmux and bash"))
struct TerminalTests {
    /// The renderer for the terminal, and a module that shows it screens.
    private static let built = Result {
        let shipped = try BuiltProject.shipped.get()
        return try BuiltProject(
            "screens",
            manifest: #"{"manifest": 1, "bindings": {"ScreenRenderer": "renderer-terminal"}}"#,
            modules: ["Tests/Fixtures/Screens/ShowsScreens"],
            files: ["common", "utility", "renderer-terminal"].map(shipped.file))
    }

    private let folder: TemporaryFolder

    init() throws {
        folder = try Self.built.get().withoutSources()
    }

    private func window(rows: Int = 24, columns: Int = 80) throws -> TerminalWindow {
        try TerminalWindow(
            rows: rows, columns: columns, in: folder.url,
            environment: ["SWIFT_BACKTRACE": "enable=no"])
    }

    /// The command that shows a screen, without the messages about a crash.
    private func show(_ name: String) -> String {
        "\(Eaves.executable.path) launch --no-build show \(name)"
    }

    @Test(
        "are drawn as they are kept here", arguments: ["form", "list", "dialogue", "long"],
        [(24, 80), (10, 40)])
    func drawing(name: String, size: (rows: Int, columns: Int)) throws {
        let window = try window(rows: size.rows, columns: size.columns)
        try window.run(show(name))
        try window.expectScreen("\(name)-\(size.columns)x\(size.rows)")
    }

    @Test("are filled in, and leave the terminal as it was")
    func filling() throws {
        let window = try window()
        try window.run(
            "stty -a > before; " + show("form") + "; stty -a > after; cat after before | wc -l")
        try window.wait(forLine: "▸ Name")
        #expect(try window.property("alternate_on") == "1")
        #expect(try window.property("cursor_flag") == "1")
        try window.type("Zoë 日本é")
        try window.press("Left", "BSpace", "Tab")
        try window.type("secret")
        try window.wait { $0.contains { $0.hasPrefix("▸ Password  [•••••• ") } }
        #expect(try window.property("cursor_x") == "19")
        #expect(try window.property("cursor_y") == "6")
        try window.press("Enter", "Right", "Enter")
        try window.expectScreen("form-problem")
        #expect(try window.property("cursor_flag") == "0")
        try window.press("Escape")
        let seen = try window.wait(forLine: "back ")
        let form = "language=de name=Zoë 日é password=secret"
        #expect(seen.contains("input action(\"log-in\") \(form)"))
        #expect(seen.contains { $0.hasPrefix("back language=de name=Zoë 日é password=") })
        try expectRestored(window)
    }

    @Test("are drawn anew for another size")
    func resizing() throws {
        let window = try window()
        try window.run(show("form"))
        try window.expectScreen("form-80x24")
        try window.resize(rows: 10, columns: 40)
        try window.expectScreen("form-40x10")
        try window.resize(rows: 1, columns: 2)
        try window.resize(rows: 24, columns: 80)
        try window.expectScreen("form-80x24")
    }

    @Test("end with Ctrl-C")
    func quitting() throws {
        let window = try window()
        try window.run("stty -a > before; " + show("list") + "; stty -a > after")
        try window.wait(forLine: "▸ ■ Grace")
        try window.press("Down", "Enter", "C-c")
        let seen = try window.wait(forLine: "quit")
        #expect(seen.contains("input row(\"2\", list: \"users\")"))
        try expectRestored(window)
    }

    @Test("are not left by a key that sends a sequence")
    func sequences() throws {
        let window = try window()
        try window.run(show("form"))
        try window.wait(forLine: "▸ Name")
        try window.press("M-x", "C-Right", "F5", "x")
        try window.wait { $0.contains { $0.hasPrefix("▸ Name      [x ") } }
    }

    @Test("keep what is typed when the navigation interrupts")
    func interruption() throws {
        let window = try window()
        try window.run("mkfifo strike; " + show("clock"))
        try window.wait(forLine: "▸ Name")
        try window.type("Gra")
        try window.wait { $0.contains { $0.hasPrefix("▸ Name  [Gra ") } }
        // Opening the pipe lets the feature cancel its task.
        let pipe = try FileHandle(
            forReadingFrom: folder.url.appendingPathComponent("strike"))
        defer { try? pipe.close() }
        try window.wait(forLine: "  Clock has struck")
        try window.type("ce")
        try window.press("Escape")
        let seen = try window.wait(forLine: "back")
        #expect(seen.contains("interrupted name=Gra"))
        #expect(seen.contains("back name=Grace"))
    }

    @Test("show what was typed while no screen was shown")
    func typedAhead() throws {
        let window = try window()
        try window.run("mkfifo strike; " + show("pause"))
        try window.wait(forLine: "▸ Name")
        try window.press("Tab", "Enter")
        // The last screen has been drawn by then.
        let pausing = folder.url.appendingPathComponent("pausing").path
        try Patience.wait(for: "the action") { FileManager.default.fileExists(atPath: pausing) }
        let terminal = try FileHandle(
            forWritingTo: URL(fileURLWithPath: try window.property("pane_tty")))
        defer { try? terminal.close() }
        try terminal.write(contentsOf: Data("\u{1b}[HWritten by somebody else".utf8))
        try window.wait { $0.contains { $0.hasPrefix("Written by") } }
        try window.press("BTab")
        try window.type("Grace")
        // The keys before it have been read when the screen is drawn anew.
        try window.press("C-l")
        try window.wait { !$0.contains { $0.hasPrefix("Written by") } }
        #expect(try !window.screen.contains { $0.contains("Grace") })
        // Opening the pipe ends the action.
        let pipe = try FileHandle(
            forWritingTo: folder.url.appendingPathComponent("strike"))
        defer { try? pipe.close() }
        try window.wait { $0.contains { $0.hasPrefix("▸ Name  [Grace ") } }
    }

    @Test("stop with Ctrl-Z, and go on where they were")
    func stopping() throws {
        let window = try window()
        try window.run(show("form"))
        try window.wait(forLine: "▸ Name")
        try window.type("Grace")
        try window.wait { $0.contains { $0.hasPrefix("▸ Name      [Grace ") } }
        try window.press("C-z")
        try window.wait { $0.contains { $0.contains("Stopped") } }
        #expect(try window.property("alternate_on") == "0")
        try window.run("fg")
        try window.wait { $0.contains { $0.hasPrefix("▸ Name      [Grace ") } }
        try window.press("C-c")
        try window.wait(forLine: "quit language=en name=Grace")
    }

    @Test(
        "leave the terminal as it was when the process crashes or exits",
        arguments: [("trap", 133), ("abort", 134), ("fault", 139), ("exit", 3), ("throw", 74)])
    func crashing(harm: String, code: Int) throws {
        let window = try window()
        try start(harm, in: window)
        try window.press("Enter")
        // Some machines have no instruction that traps otherwise.
        let codes = harm == "trap" ? ["133", "132"] : ["\(code)"]
        try window.wait { lines in codes.contains { lines.contains("ended with \($0)") } }
        try expectRestored(window)
        let isCrash = code > 128
        #expect(try window.screen.contains { $0.contains("crashed with SIG") } == isCrash)
    }

    @Test(
        "leave the terminal as it was when somebody ends the process", arguments: [SIGTERM, SIGHUP])
    func ending(signal: Int32) throws {
        let window = try window()
        try start("trap", in: window)
        #expect(kill(try window.process, signal) == 0)
        try window.wait(forLine: "ended with \(128 + signal)")
        try expectRestored(window)
    }

    @Test("end with the second Ctrl-C while the program is busy")
    func busy() throws {
        let window = try window()
        try start("busy", in: window)
        try window.press("Enter", "C-c", "C-c")
        // The shell gives up the whole line when a command in it is interrupted.
        try window.wait { $0.last { !$0.isEmpty } == "$" }
        try window.run("echo ended with $?; stty -a > after")
        try window.wait(forLine: "ended with 130")
        try expectRestored(window)
    }

    @Test("need a terminal that they can draw on")
    func obstacles() throws {
        let window = try window()
        try window.run("TERM=dumb " + show("form"))
        try window.wait { $0.joined().contains("TERM is 'dumb'") }
        try window.run("clear; TERM=strange " + show("form"))
        try window.wait { $0.joined().contains("has no description of the type 'strange'") }
        try window.run("clear; " + show("form") + " < /dev/null")
        try window.wait { $0.joined().contains("nobody answers at this console") }
    }

    /// Starts a process with the focus on an action that harms it.
    private func start(_ harm: String, in window: TerminalWindow) throws {
        try window.run(
            "stty -a > before; " + show("harm") + "; echo ended with $?; stty -a > after")
        try window.wait(forLine: "  [▸trap◂]")
        while try !window.screen.contains(where: { $0.contains("[▸\(harm)◂]") }) {
            let former = try window.screen
            try window.press("Right")
            try window.wait { $0 != former }
        }
    }

    /// Checks that the shell has the terminal as it was before.
    private func expectRestored(
        _ window: TerminalWindow, sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        try window.wait { $0.last { !$0.isEmpty } == "$" }
        #expect(try window.property("alternate_on") == "0", sourceLocation: sourceLocation)
        #expect(try window.property("cursor_flag") == "1", sourceLocation: sourceLocation)
        let before = try folder.read("before")
        #expect(try folder.read("after") == before, sourceLocation: sourceLocation)
    }
}
