// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesTestSupport
import Foundation
import Glibc
import Testing

@testable import EndToEndSupport

/// A feature in a process of its own has the console, the arguments and the signals of its host.
@Suite("a feature in a process of its own", .onOwnThreads)
struct IsolatedFeatureTests {
    /// A copy of the built modules, for each test.
    private let folder: TemporaryFolder
    private var eaves: Eaves { Eaves(folder: folder.url, owner: folder) }

    init() throws {
        folder = try BuiltFixture.isolated.get().copy()
    }

    /// - Parameter members: Further members of the module's line.
    private func isolate(_ members: String = "") throws {
        try folder.write(
            #"{"manifest": 1, "modules": {"clerk": {"isolation": "process"\#(members)}}}"#,
            to: "manifest.json")
    }

    @Test(
        "does as in its host",
        arguments: [
            ["say:hello", "warn:careful", "say:world", "interactive", "code:7"],
            ["-b", "type:no end"], ["lines:20000"], ["text:3000000"], ["note:a", "note:b"],
            ["ask:who", "say:well", "ask:what", "ask:more"], ["--help"], ["--breif"],
            ["usage:nothing"], ["say:x", "fail"],
        ])
    func asInHost(_ steps: [String]) throws {
        let input = "me\nthat"
        let inHost = try eaves(["launch", "clerk"] + steps, input: input)
        let isolated = try eaves(["launch", "--isolate", "clerk", "clerk"] + steps, input: input)
        #expect(isolated.output == inHost.output)
        #expect(isolated.errors == inHost.errors)
        #expect(isolated.code == inHost.code)
    }

    @Test("runs in another process, with the services of its host")
    func place() throws {
        let outcome = try eaves(["launch", "--isolate", "clerk", "clerk", "-b", "pid"])
        #expect(Int32(outcome.lines.first ?? "") != nil && outcome.lines.first != "\(getpid())")
        // Its services can be isolated, too.
        let both = try eaves([
            "launch", "--isolate", "boss", "--isolate", "notes", "boss", "add:3", "note:x",
            "fail:typed", "numbers:1000",
        ])
        #expect(both.lines == ["3", "1", "WorkError: a typed error", "499500, 1000 is the end"])
        #expect(both.code == 0 && both.errors.isEmpty)
    }

    @Test("cannot be created for the reason that its factory gives")
    func factory() throws {
        let inHost = try eaves("launch", "no-clerk")
        let isolated = try eaves("launch", "--isolate", "clerk", "no-clerk")
        #expect(isolated.code == 70 && isolated.errors == inHost.errors, "\(isolated)")
    }

    @Test(
        "ends its launch when it crashes, and not its host",
        arguments: [("trap", "was ended by SIGILL"), ("exit", "ended with exit code 3")])
    func crash(_ way: String, _ end: String) throws {
        let outcome = try eaves("launch", "--isolate", "clerk", "clerk", way)
        #expect(outcome.code == 70, "\(outcome)")
        #expect(
            outcome.errors.contains(
                "error: clerk: feature 'clerk' failed: the process of module 'clerk' \(end) in "),
            "\(outcome)")
        // The launch tells it, and nothing else does.
        #expect(!outcome.errors.contains("warning:"), "\(outcome)")
        #expect(outcome.output == "clerk: Does what a feature can do\n")
    }

    @Test("is kept out after three launches in which it has crashed, as in the host")
    func crashes() throws {
        for _ in 0..<3 {
            #expect(try eaves("launch", "--isolate", "clerk", "clerk", "exit").code == 70)
        }
        #expect(try !eaves("quarantine").output.contains("clerk"))
        for _ in 0..<3 {
            #expect(try eaves("launch", "--isolate", "clerk", "clerk", "trap").code == 70)
        }
        let kept = try eaves("quarantine").output
        #expect(kept.contains("crashed 3 times, last with SIGILL"), "\(kept)")
        let refused = try eaves("launch", "--isolate", "clerk", "clerk")
        #expect(refused.errors.contains("clerk: quarantined since"), "\(refused)")
    }

    @Test("ends when its output has no reader any more")
    func brokenPipe() throws {
        for options in ["", "--isolate clerk "] {
            let outcome = try Eaves.shell(
                "'\(Eaves.executable.path)' launch \(options)clerk flood | head -n 1",
                in: folder.url)
            #expect(outcome.output == "clerk: Does what a feature can do\n", "\(outcome)")
            #expect(outcome.errors.isEmpty, "\(outcome)")
        }
    }

    @Test("has as much time as it takes, whatever its module's calls have")
    func time() throws {
        try isolate(#", "limits": {"call": "100ms"}"#)
        let outcome = try eaves("launch", "clerk", "-b", "sleep:400", "say:done")
        #expect(outcome.output == "done\n" && outcome.code == 0, "\(outcome)")
    }

    @Test(
        "asks a person at a terminal",
        .enabled(if: TerminalWindow.isPossible, "needs tmux and bash"))
    func terminal() throws {
        let window = try TerminalWindow(in: folder.url)
        try window.run(
            "'\(Eaves.executable.path)' launch --isolate clerk clerk -b interactive ask:who")
        _ = try window.wait(forLine: "who?")
        try window.type("me")
        try window.press("Enter")
        #expect(try window.wait(forLine: "<me>").contains("true"))
    }

    // MARK: Sockets

    @Test("goes on with the socket that its host keeps, when its process has crashed")
    func socket() throws {
        let port = try FreePort.choose()
        try isolate(#", "permissions": {"listen": ["127.0.0.1:\#(port)"]}"#)
        let launch = try LiveEaves("launch", "--live", "clerk", "serve:\(port)", in: folder.url)
        try launch.wait(for: "serves\n")
        let first = try Self.process(at: port)
        #expect(first != launch.process)
        #expect(kill(first, SIGKILL) == 0)
        try CountingHost.waitForEnd(of: first)
        // The connection waits in the socket until the next process takes it.
        #expect(try Self.process(at: port) != first)
        try launch.wait(for: "serves\n")
        _ = try launch.end(by: SIGKILL)
        #expect(
            launch.seen.contains(
                "warning: clerk: feature 'clerk' failed: the process of module 'clerk' was ended by "
                    + "SIGKILL (Plugins/clerk.so); it is launched again\n"), "\(launch.seen)")
        #expect(!launch.seen.contains("warning: clerk: its process"), "\(launch.seen)")
    }

    @Test("does not listen where no permission says so")
    func refusedSocket() throws {
        let port = try FreePort.choose()
        for permissions in ["", #", "permissions": {"listen": ["127.0.0.2:\#(port)"]}"#] {
            try isolate(permissions)
            let outcome = try eaves("launch", "clerk", "-b", "serve:\(port)")
            #expect(outcome.code == 70, "\(outcome)")
            #expect(outcome.errors.contains("feature 'clerk' failed: cannot listen"), "\(outcome)")
        }
    }

    /// The process that answers a connection.
    private static func process(at port: UInt16) throws -> Int32 {
        let connection = try LoopbackHTTP.connect(to: "127.0.0.1", port: port)
        defer { close(connection) }
        var bytes = [UInt8](repeating: 0, count: 64)
        let count = recv(connection, &bytes, bytes.count, Int32(MSG_WAITALL))
        let text = String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
        return try #require(Int32(text.dropLast()), "'\(text)'")
    }
}
