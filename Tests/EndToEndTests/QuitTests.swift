// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

@testable import EavesCompiler
import EavesSystem
import EavesTestSupport
import Foundation
import Glibc
import Testing
@testable import EndToEndSupport

/// `Ctrl-C` and `Ctrl-\` at a terminal, and what others send. `Ctrl-\` sends `SIGQUIT`, which Swift's runtime would
/// answer with a backtrace, and go on.
@Suite("Ctrl-C and Ctrl-\\", .onOwnThreads, .patiently)
struct QuitTests {
    /// Runs the command, sends a signal to its group when a line has come, and returns how it ended and all that
    /// it printed.
    private func quit(
        _ arguments: [String], by signal: Int32 = SIGQUIT, after line: String, in folder: URL,
        environment: [String: String] = [:]
    ) throws -> (signal: Int32?, output: String) {
        let eaves = try LiveEaves(arguments, in: folder, environment: environment)
        try eaves.wait(for: line)
        kill(-eaves.process, signal)
        return (try eaves.ending().signal, eaves.seen)
    }

    @Test("ends a feature that runs")
    func launch() throws {
        let workspace = try Workspace(modules: ["users-memory"])
        try workspace.drop(SwiftFixtures.module("waits-for-line"))
        let (end, output) = try quit(
            ["launch", "--no-build", "wait"], after: "waiting\n", in: workspace.url)
        #expect(end == SIGQUIT)
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
        let (end, output) = try quit(
            ["build", "users"], after: "compiling\n", in: workspace.url,
            environment: ["EAVES_SWIFTC": compiler])
        #expect(end == SIGQUIT)
        #expect(output == "compiling\n")
        let names = try FileManager.default.contentsOfDirectory(atPath: workspace.plugins.path)
        // The folder of records has the claim that the build held.
        #expect(names.filter { $0.hasPrefix(".") || $0.hasSuffix(".so") } == [".eaves-records"])
    }

    /// The stand-in starts a process as SwiftPM and the compiler's driver do, in a group of its own, and this one does
    /// not end by itself. It has the pipe open, whose end shows that no process is left.
    @Test(
        "ends the compilers of a build, in whatever group they are",
        arguments: [SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGKILL])
    func compilers(signal: Int32) throws {
        let workspace = try Workspace(sources: true)
        let path = workspace.url.appendingPathComponent("pipe").path
        #expect(mkfifo(path, 0o600) == 0)
        // Not for writing: a process that another test starts has this one's descriptors for a moment.
        let read = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        defer { close(read) }
        let compiler = try workspace.folder.writeProgram(
            """
            #!/bin/sh
            [ "$1" = -print-target-info ] && exec \(try Toolchain.locate().swiftc) "$@"
            setsid sh -c 'trap "" INT TERM HUP QUIT; exec 9>\(path); echo compiling; exec sleep 600' & wait

            """, to: "swiftc")
        let (end, _) = try quit(
            ["build", "users"], by: signal, after: "compiling\n", in: workspace.url,
            environment: ["EAVES_SWIFTC": compiler])
        #expect(end == signal)
        // A process that is killed itself cannot wait for others.
        let limit = signal == SIGKILL ? Patience.milliseconds : 0
        #expect(Pipe.isReadable(read, within: limit))
        #expect(Pipe.read(read, count: 1) == [])
    }
}
