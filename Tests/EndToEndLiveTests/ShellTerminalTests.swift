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

    @Test("discards a line with Ctrl-C, and ends with Ctrl-D")
    func plain() throws {
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
