// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesJSON
import EavesTestSupport
import Foundation
import Glibc
import Testing

@testable import EndToEndSupport

@Suite(
    "eaves launch --live, when a fresh process takes over", .onOwnThreads, .patiently)
struct HotRestartTests {
    private let counting: CountingHost

    init() throws {
        counting = try CountingHost()
    }

    @Test("fails no call and loses no state, several times in a row under load")
    func load() throws {
        let host = try counting.launch()
        _ = try CountedCall(counting.socket)
        let threads = CallingThreads(counting.socket)
        defer { _ = threads.end() }
        for earlier in 1...4 {
            try host.restart()
            // On a loaded machine, a process could hand over before one of the threads has met it.
            try Patience.wait(for: "calls of the fresh process") {
                threads.processes.count > earlier
            }
        }
        let (calls, failures) = threads.end()
        #expect(failures == [])
        // No number is lost, and none is given twice.
        #expect(calls.map(\.number).sorted() == Array(2...calls.count + 1))
        #expect(threads.processes.count == 5)
        #expect(kill(host.process, 0) == 0)
        #expect(try counting.quit(host) == (7, nil))
    }

    @Test(
        "loses no state when a file of the module that keeps it changes meanwhile",
        arguments: Soak.sample(0..<20, every: 5))
    func changedMeanwhile(round: Int) throws {
        let relay = try RelayHost()
        let files = try ["first", "second"].map { try RelayHost.build($0) }
        let host = try relay.launch()
        let threads = CallingThreads(relay.socket)
        defer { _ = threads.end() }
        for restart in 0..<2 {
            try threads.awaitCalls(20)
            host.signal(SIGUSR2)
            try host.wait(for: "starting a fresh process")
            // At another moment in each round.
            Patience.letPass(.milliseconds(round * 8))
            try relay.workspace.replace("counts-later.so", with: files[restart])
            try host.wait(for: "this process took over from ")
        }
        try threads.awaitCalls(20)
        let (calls, failures) = threads.end()
        #expect(failures == [])
        #expect(calls.map(\.number).sorted() == Array(1...calls.count))
        _ = try host.end(by: SIGTERM)
    }

    @Test(
        "goes on with the old process if the fresh one fails, says so once, and tries again when asked"
    )
    func failing() throws {
        let host = try counting.launch()
        let before = try CountedCall(counting.socket)
        let threads = CallingThreads(counting.socket)
        defer { _ = threads.end() }
        try Data("\(before.process)".utf8).write(to: URL(fileURLWithPath: counting.fault))
        host.signal(SIGUSR2)
        try host.wait(for: "not restarted: a fresh process ended with exit code 3 before it served")
        #expect(try CountedCall(counting.socket).process == before.process)
        let failed = try counting.workspace.generations()["hosts"]?.elements?.first?[
            "failedRestart"]
        let problem = failed?["problems"]?.elements?.first?["message"]?.string
        #expect(
            problem
                == "a fresh process ended with exit code 3 before it served, and this one serves on"
        )
        // A file that is no module: the fresh process would lack the module that serves.
        let module = counting.workspace.plugins.appendingPathComponent("counts-calls.so")
        let bytes = try Data(contentsOf: module)
        try Data("no module".utf8).write(to: module, options: .atomic)
        host.signal(SIGUSR2)
        try host.wait(for: "not restarted: ")
        #expect(try CountedCall(counting.socket).process == before.process)
        // The last one is shown, with the time at which it failed.
        let shown = try counting.workspace.eaves("generations").output
        #expect(shown.components(separatedBy: "\nnot restarted at ").count == 2)
        #expect(!shown.contains("exit code 3 "), "\(shown)")
        try bytes.write(to: module, options: .atomic)
        try FileManager.default.removeItem(atPath: counting.fault)
        try host.restart()
        let (calls, failures) = threads.end()
        #expect(failures == [])
        #expect(Set(calls.map(\.number)).count == calls.count)
        #expect(try CountedCall(counting.socket).process != before.process)
        #expect(host.seen.components(separatedBy: "not restarted").count == 3)
        #expect(try counting.quit(host).code == 7)
    }

    @Test("hands over no file that happens to be open")
    func openFile() throws {
        let path = try counting.workspace.folder.write("", to: "open.txt")
        let file = open(path, O_RDONLY | O_CLOEXEC)
        defer { close(file) }
        // The host gets it without the mark that exec closes it, as a feature has it that calls open() without one.
        let host = try LiveEaves(
            ["launch", "--live", "count", counting.socket, counting.fault],
            in: counting.workspace.url,
            further: [file])
        try Patience.wait(for: "the socket") { access(counting.socket, F_OK) == 0 }
        let first = try CountedCall(counting.socket).process
        #expect(try CountingHost.openFiles(of: first).contains(path))
        for _ in 0..<2 {
            try host.restart()
            let fresh = try CountedCall(counting.socket).process
            #expect(fresh != first)
            #expect(try !CountingHost.openFiles(of: fresh).contains(path))
        }
        #expect(try counting.quit(host).code == 7)
    }
}
