// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesTestSupport
import Foundation
import Glibc
import Testing

@testable import EndToEndSupport

@Suite("What leads to a fresh process", .onOwnThreads, .patiently)
struct RestartCauseTests {
    private let counting: CountingHost

    init() throws {
        counting = try CountingHost()
    }

    @Test("restarts by itself after as many new files as it is told")
    func bound() throws {
        let sources = try CountingHost.Sources(counting.workspace)
        let host = try counting.launch(["--no-build", "--restart-after", "2"])
        let first = try CountedCall(counting.socket)
        let threads = CallingThreads(counting.socket)
        defer { _ = threads.end() }
        try sources.build(2)
        try host.wait(for: "swapped counts-calls: ")
        try sources.build(3)
        try host.wait(for: "starting a fresh process: 2 generations in memory serve no longer")
        try host.wait(for: "this process took over from \(first.process)\n")
        let last = try CountedCall(counting.socket)
        #expect(last.build == 3)
        #expect(threads.end().failures == [])
        #expect(try counting.quit(host).code == 7)
    }

    @Test("takes on a new version of an interface that is loaded")
    func interface() throws {
        let sources = try CountingHost.Sources(counting.workspace, withInterface: true)
        let host = try counting.launch(["--no-build"])
        let first = try CountedCall(counting.socket)
        let threads = CallingThreads(counting.socket)
        defer { _ = threads.end() }
        try sources.growInterface()
        try host.wait(
            for: "starting a fresh process: only a fresh process can take the new 'common'")
        try host.wait(for: "this process took over from \(first.process)\n")
        let seen = try counting.workspace.eaves("generations")
        #expect(seen.output.contains("  common        1.1.0    serving"), "\(seen)")
        #expect(threads.end().failures == [])
        // Where a later version ends each process, and something else ends this one, the file that it has serves again.
        try sources.growInterface(2, more: RelayHost.deathInLoad)
        try host.wait(for: "warning: not restarted: ")
        kill(try CountedCall(counting.socket).process, SIGKILL)
        try host.wait(for: "the last good file takes its place: version 1.1.0, ")
        _ = try CountedCall(counting.socket)
        #expect(try counting.quit(host).code == 7)
    }

    @Test("takes on a new file of the program itself")
    func program() throws {
        let folder = try TemporaryFolder()
        let program = folder.url.appendingPathComponent("eaves")
        #expect(
            try Eaves.shell("cp '\(Eaves.executable.path)' '\(program.path)'", in: folder.url).code
                == 0)
        let host = try counting.launch(["--no-build"], program: program)
        let first = try CountedCall(counting.socket)
        let threads = CallingThreads(counting.socket)
        defer { _ = threads.end() }
        #expect(try Eaves.shell("cp eaves new && mv new eaves", in: folder.url).code == 0)
        try host.wait(for: "starting a fresh process: the program has a new file")
        try host.wait(for: "this process took over from \(first.process)\n")
        let last = try CountedCall(counting.socket)
        #expect(threads.end().failures == [])
        var (running, onDisk) = (stat(), stat())
        #expect(stat("/proc/\(last.process)/exe", &running) == 0)
        #expect(stat(program.path, &onDisk) == 0)
        #expect(running.st_ino == onDisk.st_ino)
        #expect(try counting.quit(host).code == 7)
    }

    @Test("'--restart-after never' leaves the signal to the feature")
    func never() throws {
        let host = try counting.launch(["--restart-after", "never"])
        #expect(try host.end(by: SIGUSR2).signal == SIGUSR2)
        let wrong = try counting.workspace.eaves(
            "launch", "--live", "--restart-after", "0", "count")
        #expect(wrong.code == 64)
        #expect(wrong.errors.contains("expects a number of new files"))
    }
}
