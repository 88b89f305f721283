// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesJSON
import EavesTestSupport
import Foundation
import Glibc
import Testing

@Suite(
    "eaves launch --live, when a fresh process takes over", .onOwnThreads, .patiently)
struct HotRestartTests {
    private let workspace: Workspace
    private var socket: String { workspace.url.appendingPathComponent("s").path }
    private var fault: String { workspace.url.appendingPathComponent("fault").path }

    init() throws {
        workspace = try Workspace(modules: [])
        try workspace.drop(SwiftFixtures.module("counts-calls"))
        try workspace.manifest(#"{ "manifest": 1 }"#)
    }

    /// A host that counts calls, once it takes them.
    private func launch(_ options: [String] = [], program: URL? = nil) throws -> LiveEaves {
        // An earlier host leaves it.
        unlink(socket)
        let host = try LiveEaves(
            arguments: ["launch", "--live"] + options + ["count", socket, fault],
            program: program ?? Eaves.executable, in: workspace.url)
        try Patience.wait(for: "the socket") { access(socket, F_OK) == 0 }
        return host
    }

    private func restart(_ host: LiveEaves) throws {
        host.signal(SIGUSR2)
        try host.wait(for: "this process took over from ")
    }

    @Test("fails no call and loses no state, several times in a row under load")
    func load() throws {
        let host = try launch()
        let first = try CountedCall(socket)
        #expect(first.process == host.process)
        let threads = CallingThreads(socket)
        defer { _ = threads.end() }
        for _ in 0..<4 { try restart(host) }
        let (calls, failures) = threads.end()
        #expect(failures == [])
        // No number is lost, and none is given twice.
        #expect(calls.map(\.number).sorted() == Array(2...calls.count + 1))
        #expect(Set(calls.map(\.process)).count == 5)
        #expect(kill(host.process, 0) == 0)
        _ = try? CountedCall(socket, "q")
        #expect(try host.ending() == (7, nil))
    }

    @Test(
        "goes on with the same process for its parent: signals, exit codes and crashes pass through"
    )
    func waiter() throws {
        let host = try launch()
        try restart(host)
        let second = try CountedCall(socket)
        #expect(second.process != host.process)
        try restart(host)
        let third = try CountedCall(socket)
        #expect(third.number == 2)
        // The second process is gone, and the first one has little memory of its own.
        try Self.waitForEnd(of: second.process)
        #expect(try Self.ownMemory(of: host.process) < 4 << 20)
        host.signal(SIGTERM)
        let ending = try host.ending()
        #expect(ending.signal == SIGTERM || ending.code == 128 + SIGTERM)
        try Self.waitForEnd(of: third.process)

        let crashing = try launch()
        try restart(crashing)
        _ = try? CountedCall(socket, "c")
        #expect(try crashing.ending().signal == SIGABRT)
    }

    /// The moments of a hand-over that can be seen from outside.
    enum Moment: CaseIterable {
        case announced, started, takenOver, answered, left
    }

    @Test(
        "loses no signal that comes while a process leaves", arguments: Moment.allCases,
        [false, true])
    func signalWhileLeaving(moment: Moment, isSecond: Bool) throws {
        let host = try launch()
        if isSecond { try restart(host) }
        let leaving = try CountedCall(socket).process
        let children = Self.children(of: host.process)
        host.signal(SIGUSR2)
        switch moment {
        case .announced: try host.wait(for: "starting a fresh process")
        case .started:
            try Patience.wait(for: "a fresh process") {
                !Self.children(of: host.process).union(Self.children(of: leaving))
                    .subtracting(children).isEmpty
            }
        case .takenOver: try host.wait(for: "this process took over from \(leaving)\n")
        case .answered:
            try Patience.wait(for: "a call of the fresh process") {
                try CountedCall(socket).process != leaving
            }
        case .left:
            try host.wait(for: "this process took over from \(leaving)\n")
            // The first process stays, as the one that its parent knows.
            if isSecond { try Self.waitForEnd(of: leaving) }
        }
        host.signal(SIGTERM)
        let ending = try host.ending()
        #expect(ending.signal == SIGTERM || ending.code == 128 + SIGTERM)
    }

    /// The numbers of the processes that a process has started; none if it has ended.
    private static func children(of process: Int32) -> Set<Int32> {
        let path = "/proc/\(process)/task"
        let tasks = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
        return Set(
            tasks.flatMap { task in
                let text = try? String(contentsOfFile: "\(path)/\(task)/children", encoding: .utf8)
                return (text ?? "").split(separator: " ").compactMap { Int32($0) }
            })
    }

    /// The module that keeps the number is loaded with the first call, which comes while the fresh process begins.
    @Test(
        "loses no state of a module that is loaded meanwhile",
        arguments: Soak.sample(0..<20, every: 5))
    func loadedMeanwhile(round: Int) throws {
        let workspace = try Workspace(modules: ["common"])
        for id in ["relays-calls", "counts-later"] {
            try workspace.drop(SwiftFixtures.module(id))
        }
        try workspace.manifest(
            #"{ "manifest": 1, "bindings": { "UserService": "counts-later" } }"#)
        let socket = workspace.url.appendingPathComponent("s").path
        let host = try LiveEaves(
            arguments: ["launch", "--live", "relay", socket], in: workspace.url)
        try Patience.wait(for: "the socket") { access(socket, F_OK) == 0 }
        host.signal(SIGUSR2)
        try host.wait(for: "starting a fresh process")
        // At another moment in each round.
        Patience.letPass(.milliseconds(round * 15))
        let threads = CallingThreads(socket)
        defer { _ = threads.end() }
        try host.wait(for: "this process took over from ")
        let count = threads.count
        try Patience.wait(for: "calls of the fresh process") { threads.count > count + 20 }
        let (calls, failures) = threads.end()
        #expect(failures == [])
        #expect(calls.map(\.number).sorted() == Array(1...calls.count))
        #expect(!host.seen.contains("state is lost"))
        host.signal(SIGTERM)
        _ = try host.ending()
    }

    @Test("stops and goes on together when its parent asks for it, as a shell does by Control-Z")
    func stopping() throws {
        let host = try launch()
        try restart(host)
        let serving = try CountedCall(socket).process
        #expect(serving != host.process)
        host.signal(SIGTSTP)
        for process in [host.process, serving] { try Self.wait(for: process) { $0 == "T" } }
        host.signal(SIGCONT)
        for process in [host.process, serving] { try Self.wait(for: process) { $0 != "T" } }
        #expect(try CountedCall(socket).process == serving)
        _ = try? CountedCall(socket, "q")
        #expect(try host.ending().code == 7)
    }

    /// Waits for a state of a process, as its letter in `/proc` says: `T` if it is stopped.
    private static func wait(for process: Int32, until isThere: (Character) -> Bool) throws {
        try Patience.wait(for: "the other state of process \(process)") {
            let text = try String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8)
            // The name of the program stands in brackets, and may have some itself.
            return text.split(separator: ")").last?.dropFirst().first.map(isThere) ?? false
        }
    }

    /// A process that says that it leaves needs a moment for it.
    private static func waitForEnd(of process: Int32) throws {
        try Patience.wait(for: "the end of process \(process)") { kill(process, 0) != 0 }
    }

    /// The bytes that belong to a process alone, and that no file has.
    private static func ownMemory(of process: Int32) throws -> Int {
        let status = try String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)
        let line = status.split(separator: "\n").first { $0.hasPrefix("RssAnon:") } ?? ""
        return (line.split { !$0.isNumber }.first.flatMap { Int($0) } ?? 0) << 10
    }

    @Test(
        "goes on with the old process if the fresh one fails, says so once, and tries again when asked"
    )
    func failing() throws {
        let host = try launch()
        let before = try CountedCall(socket)
        let threads = CallingThreads(socket)
        defer { _ = threads.end() }
        try Data("\(before.process)".utf8).write(to: URL(fileURLWithPath: fault))
        host.signal(SIGUSR2)
        try host.wait(for: "not restarted: a fresh process ended with exit code 3 before it served")
        #expect(try CountedCall(socket).process == before.process)
        let failed = try workspace.generations()["hosts"]?.elements?.first?["failedRestart"]
        let problem = failed?["problems"]?.elements?.first?["message"]?.string
        #expect(
            problem
                == "a fresh process ended with exit code 3 before it served, and this one serves on"
        )
        // A file that is no module: the fresh process would lack the module that serves.
        let module = workspace.plugins.appendingPathComponent("counts-calls.so")
        let bytes = try Data(contentsOf: module)
        try Data("no module".utf8).write(to: module, options: .atomic)
        host.signal(SIGUSR2)
        try host.wait(for: "not restarted: ")
        #expect(try CountedCall(socket).process == before.process)
        // The last one is shown, with the time at which it failed.
        let shown = try workspace.eaves("generations").output
        #expect(shown.components(separatedBy: "\nnot restarted at ").count == 2)
        #expect(!shown.contains("exit code 3 "), "\(shown)")
        try bytes.write(to: module, options: .atomic)
        try FileManager.default.removeItem(atPath: fault)
        try restart(host)
        let (calls, failures) = threads.end()
        #expect(failures == [])
        #expect(Set(calls.map(\.number)).count == calls.count)
        #expect(try CountedCall(socket).process != before.process)
        #expect(host.seen.components(separatedBy: "not restarted").count == 3)
        _ = try? CountedCall(socket, "q")
        #expect(try host.ending().code == 7)
    }

    @Test("interrupts nobody for a fresh process that fails before it takes calls")
    func failingEarly() throws {
        let host = try launch()
        let before = try CountedCall(socket)
        try Data("\(before.process)".utf8).write(to: URL(fileURLWithPath: fault + ".early"))
        // The old process would wait for the end of this call before it handed over.
        let held = try HeldCall(socket)
        host.signal(SIGUSR2)
        try host.wait(for: "not restarted: a fresh process ended with exit code 4 before it served")
        #expect(try held.finish().number == before.number + 1)
        #expect(try CountedCall(socket).process == before.process)
        try FileManager.default.removeItem(atPath: fault + ".early")
        try restart(host)
        #expect(try CountedCall(socket).number == before.number + 3)
        #expect(!host.seen.contains("did not end"), "\(host.seen)")
        _ = try? CountedCall(socket, "q")
        #expect(try host.ending().code == 7)
    }

    @Test("restarts by itself after as many new files as it is told")
    func bound() throws {
        let sources = try Sources(workspace)
        let host = try launch(["--no-build", "--restart-after", "2"])
        let first = try CountedCall(socket)
        let threads = CallingThreads(socket)
        defer { _ = threads.end() }
        try sources.build(2)
        try host.wait(for: "swapped counts-calls: ")
        try sources.build(3)
        try host.wait(for: "starting a fresh process: 2 generations in memory serve no longer")
        try host.wait(for: "this process took over from \(first.process)\n")
        let last = try CountedCall(socket)
        #expect(last.build == 3)
        #expect(threads.end().failures == [])
        _ = try? CountedCall(socket, "q")
        #expect(try host.ending().code == 7)
    }

    @Test("takes on a new version of an interface that is loaded")
    func interface() throws {
        let sources = try Sources(workspace, withInterface: true)
        let host = try launch(["--no-build"])
        let first = try CountedCall(socket)
        let threads = CallingThreads(socket)
        defer { _ = threads.end() }
        try sources.growInterface()
        try host.wait(
            for: "starting a fresh process: only a fresh process can take the new 'common'")
        try host.wait(for: "this process took over from \(first.process)\n")
        let seen = try workspace.eaves("generations")
        #expect(seen.output.contains("  common        1.1.0    serving"), "\(seen)")
        #expect(threads.end().failures == [])
        _ = try? CountedCall(socket, "q")
        #expect(try host.ending().code == 7)
    }

    @Test("takes on a new file of the program itself")
    func program() throws {
        let folder = try TemporaryFolder()
        let program = folder.url.appendingPathComponent("eaves")
        #expect(
            try Eaves.shell("cp '\(Eaves.executable.path)' '\(program.path)'", in: folder.url).code
                == 0)
        let host = try launch(["--no-build"], program: program)
        let first = try CountedCall(socket)
        let threads = CallingThreads(socket)
        defer { _ = threads.end() }
        #expect(try Eaves.shell("cp eaves new && mv new eaves", in: folder.url).code == 0)
        try host.wait(for: "starting a fresh process: the program has a new file")
        try host.wait(for: "this process took over from \(first.process)\n")
        let last = try CountedCall(socket)
        #expect(threads.end().failures == [])
        var (running, onDisk) = (stat(), stat())
        #expect(stat("/proc/\(last.process)/exe", &running) == 0)
        #expect(stat(program.path, &onDisk) == 0)
        #expect(running.st_ino == onDisk.st_ino)
        _ = try? CountedCall(socket, "q")
        #expect(try host.ending().code == 7)
    }

    @Test("'--restart-after never' leaves the signal to the feature")
    func never() throws {
        let host = try launch(["--restart-after", "never"])
        host.signal(SIGUSR2)
        #expect(try host.ending().signal == SIGUSR2)
        let wrong = try workspace.eaves("launch", "--live", "--restart-after", "0", "count")
        #expect(wrong.code == 64)
        #expect(wrong.errors.contains("expects a number of new files"))
    }

    @Test("takes calls on a socket that was opened for it, as systemd does")
    func activation() throws {
        let listener = try LiveEaves.listen(at: socket)
        defer { close(listener) }
        let host = try LiveEaves(
            arguments: [
                "-c",
                "LISTEN_PID=$$ LISTEN_FDS=1 LISTEN_FDNAMES=count exec \"$0\" launch --live count \"$1\"",
                Eaves.executable.path, "/nowhere/at/all",
            ], program: URL(fileURLWithPath: "/bin/sh"), in: workspace.url, further: [listener])
        #expect(try CountedCall(socket).process == host.process)
        try restart(host)
        #expect(try CountedCall(socket).number == 2)
        _ = try? CountedCall(socket, "q")
        #expect(try host.ending().code == 7)
    }

    @Test("hands over no file that happens to be open")
    func openFile() throws {
        let path = try workspace.folder.write("", to: "open.txt")
        let file = open(path, O_RDONLY | O_CLOEXEC)
        defer { close(file) }
        // The host gets it without the mark that exec closes it, as a feature has it that calls open() without one.
        let host = try LiveEaves(
            arguments: ["launch", "--live", "count", socket, fault], in: workspace.url,
            further: [file])
        try Patience.wait(for: "the socket") { access(socket, F_OK) == 0 }
        let first = try CountedCall(socket).process
        #expect(try Self.openFiles(of: first).contains(path))
        for _ in 0..<2 {
            try restart(host)
            let fresh = try CountedCall(socket).process
            #expect(fresh != first)
            #expect(try !Self.openFiles(of: fresh).contains(path))
        }
        _ = try? CountedCall(socket, "q")
        #expect(try host.ending().code == 7)
    }

    /// The paths to which the descriptors of a process lead.
    private static func openFiles(of process: Int32) throws -> [String] {
        let folder = "/proc/\(process)/fd"
        return try FileManager.default.contentsOfDirectory(atPath: folder).compactMap {
            try? FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/\($0)")
        }
    }

    /// The sources of the module in the workspace.
    private struct Sources {
        let workspace: Workspace
        private var source: URL {
            workspace.plugins.appendingPathComponent("CountsCalls/CountsCallsModule.swift")
        }

        init(_ workspace: Workspace, withInterface: Bool = false) throws {
            self.workspace = workspace
            let files = FileManager.default
            try files.removeItem(at: workspace.plugins)
            try files.createDirectory(at: workspace.plugins, withIntermediateDirectories: true)
            try files.copyItem(
                at: SwiftFixtures.folder.appendingPathComponent("CountsCalls"),
                to: workspace.plugins.appendingPathComponent("CountsCalls"))
            if withInterface {
                try files.copyItem(
                    at: Repository.sample("Plugins/Common"),
                    to: workspace.plugins.appendingPathComponent("Common"))
                try edit(
                    "CountsCalls/module.json", "\"features\"",
                    "\"interfaces\": [\"common\"], \"features\"")
            }
            try build()
        }

        func build(_ number: Int) throws {
            try edit(
                "CountsCalls/CountsCallsModule.swift", "let build = \(number - 1)",
                "let build = \(number)")
            try build()
        }

        /// A later version of the common interface, with a protocol more.
        func growInterface() throws {
            try edit("Common/module.json", "\"1.0.0\"", "\"1.1.0\"")
            let text = "public protocol Newcomer: Sendable {}\n"
            try Data(text.utf8).write(
                to: workspace.plugins.appendingPathComponent("Common/Newcomer.swift"))
            try build()
        }

        private func edit(_ file: String, _ old: String, _ new: String) throws {
            let file = workspace.plugins.appendingPathComponent(file)
            let text = try String(contentsOf: file, encoding: .utf8)
            guard text.contains(old) else { throw FixtureError("no '\(old)' in \(text)") }
            try Data(text.replacingOccurrences(of: old, with: new).utf8).write(to: file)
        }

        private func build() throws {
            let outcome = try workspace.eaves("build")
            guard outcome.code == 0 else { throw FixtureError("\(outcome)") }
        }
    }
}
