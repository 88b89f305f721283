// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesTestSupport
import Foundation
import Glibc
import Testing

@testable import EndToEndSupport

@Suite(
    "eaves shell, on a terminal", .onOwnThreads, .patiently,
    .enabled(if: TerminalWindow.isPossible, "needs tmux and bash"))
struct ShellTerminalTests {
    private static let hasLibedit = dlopen("libedit.so.2", RTLD_LAZY) != nil

    private let workspace: Workspace
    private let window: TerminalWindow

    init() throws {
        workspace = try Workspace()
        window = try TerminalWindow(in: workspace.url)
    }

    private func start() throws {
        try window.run(
            "stty -a > before; \(Eaves.executable.path) shell; echo ended with $?; "
                + "stty -a > after")
        try wait(forLast: "eaves>")
    }

    /// Waits for the last line that is not empty.
    private func wait(forLast line: String) throws {
        try window.wait { $0.last { !$0.isEmpty } == line }
    }

    @Test(
        "completes with Tab, remembers lines, and redraws a line when something is printed",
        .enabled(if: hasLibedit, "needs libedit"))
    func editing() throws {
        try start()
        try window.type("la")
        try window.press("Tab")
        try window.type("us")
        try window.press("Tab", "Enter")
        try window.wait { $0.contains("2 Bob") && $0.contains("eaves> launch users") }
        // Keys that come before the prompt are echoed as they are.
        try wait(forLast: "eaves>")
        try window.type("swap U")
        try window.press("Tab")
        try wait(forLast: "eaves> swap UserService")
        try window.type("u")
        try window.press("Tab")
        try wait(forLast: "eaves> swap UserService users-")
        try window.press("Tab")
        try window.wait { $0.contains("users-memory  users-v2") }
        try wait(forLast: "eaves> swap UserService users-")
        // Another process swaps while the line is being edited.
        #expect(try workspace.eaves("swap", "UserService", "users-v2").code == 0)
        let seen = try window.wait {
            $0.contains("UserService: users-v2 serves (was users-memory)")
                && $0.last { !$0.isEmpty } == "eaves> swap UserService users-"
        }
        #expect(seen.count { $0.hasPrefix("eaves> swap") } == 2)
        try window.type("m")
        try window.press("Tab", "Enter")
        try window.wait(forLine: "UserService: users-memory serves (was users-v2)")
        try wait(forLast: "eaves>")
        try window.press("Up", "Up")
        try wait(forLast: "eaves> launch users")
        try window.press("C-c")
        try wait(forLast: "eaves>")
        try window.type("é日")
        try window.press("BSpace")
        try wait(forLast: "eaves> é")
        try window.press("C-u", "C-d")
        try window.wait(forLine: "ended with 130")
        try wait(forLast: "$")
        #expect(try workspace.folder.read("after") == workspace.folder.read("before"))
    }

    @Test("asks a feature to end with Ctrl-C, and goes on")
    func interruption() throws {
        try start()
        try window.run("launch login")
        try window.wait(forLine: "Name:")
        try window.press("C-c")
        try wait(forLast: "eaves>")
        try window.run("launch users")
        try window.wait(forLine: "2 Bob")
        try wait(forLast: "eaves>")
        try window.run("quit")
        try window.wait(forLine: "ended with 0")
    }

    @Test("without an editor, shows the prompt and takes plain lines")
    func plain() throws {
        try window.run("export TERM=dumb")
        try start()
        try window.type("lau")
        try window.press("C-c")
        try wait(forLast: "eaves>")
        try window.run("launch users")
        try window.wait(forLine: "2 Bob")
        try wait(forLast: "eaves>")
        try window.press("C-d")
        try window.wait { $0.contains { $0.hasSuffix("ended with 0") } }
    }

    @Test("leaves the terminal as it was when a signal ends it")
    func ending() throws {
        try start()
        #expect(kill(try window.process, SIGTERM) == 0)
        try window.wait { $0.contains { $0.hasSuffix("ended with 143") } }
        try wait(forLast: "$")
        #expect(try workspace.folder.read("after") == workspace.folder.read("before"))
    }
}
