// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesBuild
import EavesSystem
import EavesTestSupport
import Foundation
import Glibc
import Testing

/// `Ctrl-\` at a terminal sends `SIGQUIT`, which Swift's runtime would answer with a backtrace, and go on.
@Suite("Ctrl-\\", .timeLimit(.minutes(30)))
struct QuitTests {
    /// Runs the command, sends the signal when a line has come, and returns how it ended and all that
    /// it printed.
    private func quit(
        _ arguments: [String], after line: String, in folder: URL,
        environment: [String: String] = [:]
    ) throws -> (ending: ChildEnding?, output: String) {
        var command = ChildCommand(Eaves.executable.path, arguments)
        command.folder = folder.path
        for (name, value) in environment { command.environment[name] = value }
        let (input, output) = (try Child.pipe(), try Child.pipe())
        let written = ChildCommand.Stream.descriptor(output.writeEnd.fileDescriptor)
        let child = try ChildProcess(
            command, [.descriptor(input.readEnd.fileDescriptor), written, written])
        try output.writeEnd.close()
        let guardian = DispatchWorkItem { child.signal(SIGKILL) }
        DispatchQueue.global().asyncAfter(deadline: .now() + Patience.seconds, execute: guardian)
        defer { guardian.cancel() }
        var seen = ""
        while !seen.contains(line) {
            let more = output.readEnd.availableData
            guard !more.isEmpty else { throw FixtureError("ended before '\(line)': \(seen)") }
            seen += String(decoding: more, as: UTF8.self)
        }
        child.signal(SIGQUIT)
        seen += String(decoding: try output.readEnd.readToEnd() ?? Data(), as: UTF8.self)
        return (child.wait(), seen)
    }

    @Test("ends a feature that runs")
    func launch() throws {
        let workspace = try Workspace(modules: ["users-memory"])
        try workspace.drop(SwiftFixtures.module("waits-for-line"))
        let (ending, output) = try quit(
            ["launch", "--no-build", "wait"], after: "waiting\n", in: workspace.url)
        #expect(ending == .signalled(SIGQUIT))
        #expect(output.hasSuffix("waiting\n"), "\(output)")
    }

    @Test("ends a build, which leaves nothing behind")
    func build() throws {
        let workspace = try Workspace(sources: true)
        let compiler = try workspace.folder.writeProgram(
            """
            #!/bin/sh
            [ "$1" = -print-target-info ] && exec \(try Toolchain.locate().swiftc) "$@"
            echo compiling; sleep 600 & wait

            """, to: "swiftc")
        let (ending, output) = try quit(
            ["build", "users"], after: "compiling\n", in: workspace.url,
            environment: ["EAVES_SWIFTC": compiler])
        #expect(ending == .signalled(SIGQUIT))
        #expect(output == "compiling\n")
        let names = try FileManager.default.contentsOfDirectory(atPath: workspace.plugins.path)
        #expect(names.filter { $0.hasPrefix(".") || $0.hasSuffix(".so") } == [])
    }
}
