// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesTestSupport
import Foundation
import Testing

/// A window of a real terminal with a shell in it: tmux, without anybody who looks at it.
final class TerminalWindow {
    /// Tests in a window need tmux and a shell with job control.
    static let isPossible = ["tmux", "bash"].allSatisfy { name in
        (try? Eaves.shell("command -v \(name)", in: URL(fileURLWithPath: "/")))?.code == 0
    }

    private let sockets: TemporaryFolder

    /// - Parameters:
    ///   - folder: Where the shell starts.
    ///   - environment: Added to the test's own.
    init(
        rows: Int = 24, columns: Int = 80, in folder: URL, environment: [String: String] = [:]
    ) throws {
        sockets = try TemporaryFolder()
        // The shell, and all windows with it, are gone after a while even if the test is.
        let shell = "exec timeout --foreground \(Int(Patience.seconds) * 2) bash --norc --noprofile"
        let variables = ["PS1": "$ ", "HISTFILE": ""].merging(environment) { $1 }
        try tmux(
            ["new-session", "-d", "-c", folder.path, "-x", "\(columns)", "-y", "\(rows)"]
                + variables.sorted { $0.key < $1.key }.flatMap { ["-e", "\($0.key)=\($0.value)"] }
                + [shell])
        try wait { $0.first == "$" }
    }

    deinit {
        // Without a server there is nothing to end.
        _ = try? tmux(["kill-server"])
    }

    /// The lines that are seen, without spaces at their ends.
    var screen: [String] {
        get throws {
            var lines = try tmux(["capture-pane", "-p"]).split(
                separator: "\n", omittingEmptySubsequences: false
            ).map { String($0.reversed().drop { $0 == " " }.reversed()) }
            // The output ends with a line ending.
            lines.removeLast()
            return lines
        }
    }

    /// A property of the terminal: `alternate_on`, `cursor_flag`, `cursor_x`, `cursor_y`.
    func property(_ name: String) throws -> String {
        try tmux(["display-message", "-p", "#{\(name)}"]).trimmingCharacters(in: .newlines)
    }

    /// Types a text as it is.
    func type(_ text: String) throws {
        try tmux(["send-keys", "-l", text])
    }

    /// Presses keys, by the names that tmux has for them: `Enter`, `C-c`, `BTab`.
    func press(_ keys: String...) throws {
        try tmux(["send-keys"] + keys)
    }

    /// Runs a line of the shell.
    func run(_ line: String) throws {
        try type(line)
        try press("Enter")
    }

    func resize(rows: Int, columns: Int) throws {
        try tmux(["resize-window", "-x", "\(columns)", "-y", "\(rows)"])
    }

    /// The process that the shell waits for.
    var process: Int32 {
        get throws {
            let shell = try property("pane_pid")
            // The window's own process is the one that ends it after a while.
            let bash = try child(of: shell)
            guard let number = Int32(try child(of: bash)) else {
                throw FixtureError("the shell runs nothing")
            }
            return number
        }
    }

    private func child(of process: String) throws -> String {
        let path = "/proc/\(process)/task/\(process)/children"
        let children = try String(contentsOfFile: path, encoding: .utf8)
        return children.split(separator: " ").first.map(String.init) ?? ""
    }

    /// Looks at the screen until it is as wanted.
    @discardableResult
    func wait(until isWanted: ([String]) -> Bool) throws -> [String] {
        var seen: [String] = []
        // tmux has no event for a screen that has changed.
        try Patience.wait(
            for: "on the screen:\n" + seen.joined(separator: "\n")
        ) {
            seen = try screen
            return isWanted(seen)
        }
        return seen
    }

    /// Waits for a line that begins with a text.
    @discardableResult
    func wait(forLine start: String) throws -> [String] {
        try wait { $0.contains { $0.hasPrefix(start) } }
    }

    /// Checks that the screen becomes that of a file in `Fixtures/Screens`. With the variable
    /// `EAVES_KEEP_SCREENS`, the file is written instead, for somebody to look at.
    func expectScreen(_ name: String, sourceLocation: SourceLocation = #_sourceLocation) throws {
        let file = Repository.file("Tests/Fixtures/Screens/\(name).txt")
        let environment = ProcessInfo.processInfo.environment
        if environment["EAVES_KEEP_SCREENS"] != nil {
            Patience.letPass(.seconds(1))
            try Data((try screen.joined(separator: "\n") + "\n").utf8).write(to: file)
        }
        var expected = try String(contentsOf: file, encoding: .utf8)
            .split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        expected.removeLast()
        // If it does not come, the comparison below says what is there instead.
        _ = try? wait { $0 == expected }
        let seen = try screen
        #expect(
            seen == expected, "\(name):\n\(seen.joined(separator: "\n"))",
            sourceLocation: sourceLocation)
    }

    @discardableResult
    private func tmux(_ arguments: [String]) throws -> String {
        let outcome = try Eaves.run(
            URL(fileURLWithPath: "/usr/bin/env"),
            // Not in the folder of the test, which may be gone before the window is.
            ["tmux", "-u", "-f", "/dev/null"] + arguments, in: sockets.url,
            environment: [
                "TMUX_TMPDIR": sockets.url.path, "TMUX": "", "LC_ALL": "C.UTF-8",
                "SHELL": "/bin/sh",
            ])
        guard outcome.code == 0 else {
            throw FixtureError("tmux \(arguments.joined(separator: " ")): \(outcome)")
        }
        return outcome.output
    }
}
