// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesTestSupport
import Foundation
import Glibc
import Testing

@testable import EndToEndSupport

/// A feature in the host's process calls a service of a module in a process of its own, which calls one of the host's.
@Suite("a module in a process of its own", .onOwnThreads)
struct IsolationTests {
    /// A copy of the built modules, for each test.
    private let folder: TemporaryFolder
    private var eaves: Eaves { Eaves(folder: folder.url, owner: folder) }

    init() throws {
        folder = try BuiltFixture.isolated.get().copy()
    }

    private func manifest(_ modules: String = "") throws {
        try folder.write(
            #"{"manifest": 1, "modules": {\#(modules)}}"#, to: "manifest.json")
    }

    private func boss(
        _ steps: String..., options: [String] = [], environment: [String: String] = [:]
    ) throws -> Eaves.Outcome {
        try eaves(["launch"] + options + ["boss"] + steps, environment: environment)
    }

    @Test("answers as in the host's process, with values, errors and streams")
    func answers() throws {
        let steps = [
            "job", "job:field", "lists", "lists:3", "add:3", "add:4", "apprentice", "apprentice",
            "greeting",
            "fail:typed", "note:x", "note:fail", "notes", "numbers:1000", "numbers:0", "some:100",
            "some:10", "cancel", "many:800",
        ]
        let isolated = try eaves(["launch", "boss"] + steps)
        #expect(isolated.code == 0)
        try manifest(#""labour": {"settings": {"greeting": "hello"}}"#)
        let inHost = try eaves(["launch", "boss"] + steps)
        #expect(isolated.lines == inHost.lines)
        #expect(isolated.lines.contains("499500, 1000 is the end"))
        #expect(isolated.lines.contains("cancelled") && isolated.lines.contains("5050"))
        #expect(isolated.errors.isEmpty && inHost.errors.isEmpty, "\(isolated)\n\(inHost)")
    }

    @Test("is isolated by the manifest, or for one run")
    func place() throws {
        #expect(try boss("where").lines == ["in another process"])
        try manifest()
        #expect(try boss("where").lines == ["in the host"])
        #expect(
            try boss("where", options: ["--isolate", "labour"]).lines == ["in another process"])
        let unknown = try boss("where", options: ["--isolate", "labor"])
        #expect(unknown.code == 66)
        #expect(
            unknown.errors.hasPrefix(
                "error: there is no module 'labor', did you mean 'labour'?\nfix: choose "),
            "\(unknown)")
    }

    @Test("prints where its host does, and gives an error that it does not declare by its words")
    func words() throws {
        #expect(
            try boss("fail:print", "fail:local").lines
                == ["printed in the worker", "0", "RemoteCallError: a local error"])
    }

    @Test(
        "can end badly, and the host goes on",
        arguments: [
            ("trap", "SIGILL"), ("abort", "SIGABRT"), ("segv", "SIGSEGV"), ("kill", "SIGKILL"),
            ("exit", "exit code 3"),
        ])
    func crash(_ way: String, _ end: String) throws {
        let outcome = try boss("add:5", "fail:\(way)", "where", "add:1")
        #expect(outcome.code == 0)
        let lines = outcome.lines
        try #require(lines.count == 4, "\(outcome)")
        #expect(lines[1].hasPrefix("RemoteCallError: the process of module 'labour'"))
        #expect(lines[1].contains(end))
        // A signal that no handler sees leaves no place.
        #expect(lines[1].contains("Worker.fail") == (way != "kill"))
        // The new process begins with an empty memory.
        #expect(Array(lines[2...]) == ["in another process", "1"])
        #expect(outcome.errors.contains("warning: labour: its process"))
        #expect(outcome.errors.contains("is started again"))
    }

    @Test("is late if it does not answer in the time that its calls have")
    func late() throws {
        try manifest(#""labour": {"isolation": "process", "limits": {"call": "500ms"}}"#)
        let outcome = try boss("add:1", "fail:hang", "fail:hang", "at-last")
        #expect(
            outcome.lines == ["1"]
                + Array(
                    repeating:
                        "RemoteCallError: the process of module 'labour' did not answer within 0.5 seconds",
                    count: 2) + ["answered"])
    }

    @Test("gets no more memory than it may have")
    func memory() throws {
        try manifest(#""labour": {"isolation": "process", "limits": {"memory": "512MB"}}"#)
        let outcome = try boss("fail:memory", "where")
        try #require(outcome.lines.count == 2, "\(outcome)")
        #expect(
            outcome.lines[0].hasPrefix(
                "RemoteCallError: the process of module 'labour' was ended by"))
        #expect(outcome.lines[1] == "in another process")
    }

    @Test("can end again and again under calls, each of which has a typed error")
    func crashes() throws {
        let outcome = try boss("crashes:6", "where")
        #expect(outcome.lines == ["12 typed, 0 others, 6 answered", "in another process"])
        // Its own mistakes count as those that end a host do.
        let kept = try eaves("quarantine")
        #expect(
            kept.output.contains(
                "crashed 3 times, last with exit code 3"), "\(kept)")
        #expect(try boss("where").errors.contains("labour: quarantined since"))
        try eaves("quarantine", "clear", "labour")
        #expect(try boss("where").lines == ["in another process"])
    }

    @Test("leaves no process behind if its host refuses its file")
    func refusedFile() throws {
        let host = try LiveEaves("launch", "--live", "boss", "pid", "sleep:600000", in: folder.url)
        try host.wait(for: "\n")
        let source = "Plugins/Labour/LabourModule.swift"
        let start = "let greeting = try registrar"
        let more = #"""
            let process = "process \(getpid())\n"
            _ = write(STDERR_FILENO, process, process.utf8.count)
            registrar.decorate((any Labour).self) { $1 }

            """#
        try folder.write(
            try folder.read(source).replacing(start, with: more + start), to: source)
        try host.beside("build", "labour")
        try host.wait(for: "refused labour", "\n")
        let number = try #require(host.seen.firstMatch(of: /process ([0-9]+)\n/)?.1, "\(host.seen)")
        let worker = try #require(Int32(number))
        try CountingHost.waitForEnd(of: worker)
        _ = try host.end(by: SIGKILL)
    }

    @Test("is told apart from one that cannot be isolated, with the author's line")
    func refused() throws {
        try folder.write(
            #"{"id": "strange", "version": "1.0.0", "layer": "core", "interfaces": ["work-api"], "provides": [{"service": "Odd"}]}"#,
            to: "Plugins/Strange/module.json")
        try folder.write(
            """
            import EavesInterface
            import WorkAPI
            enum StrangeModule: Module {
                static func register(in registrar: any Registrar) {
                    registrar.register((any Odd).self) { _ in Strange() }
                }
            }
            struct Strange: Odd {
                func synchronous(_ number: Int) -> Int { number }
                func changing(_ number: inout Int) async throws {}
                func opaque(_ value: Opaque) async throws {}
            }
            """, to: "Plugins/Strange/Strange.swift")
        try manifest(#""strange": {"isolation": "process"}"#)
        #expect(try eaves("build").code == 0)
        let problem =
            "WorkAPI.swift:169: 'Odd' cannot be isolated: 'synchronous(_:)': it is not 'async throws'"
        let validated = try eaves("validate")
        #expect(validated.code != 0)
        #expect("\(validated)".contains("strange: cannot run in a process of its own: \(problem)"))
        try manifest()
        let inspected = try eaves("inspect", "strange", "--json")
        #expect(inspected.code == 0)
        #expect(inspected.output.contains("WorkAPI.swift:169: 'Odd' cannot be isolated"))
        #expect(
            try eaves("inspect", "strange").output.contains("isolation: not possible: \(problem)"))
        #expect(try eaves("inspect", "labour").output.contains("isolation: possible\n"))
    }

    @Test("is exchanged in a host that stays up, while calls that hold the old one go on")
    func exchanged() throws {
        let host = try LiveEaves(
            "launch", "--live", "boss", "greeting", "pid", "turned:bye", "turned-pid", "greeting",
            "pid", "gone", in: folder.url)
        try host.wait(for: "hello hello!", "\n")
        try manifest(#""labour": {"isolation": "process", "settings": {"greeting": "bye"}}"#)
        let ending = try host.finish()
        #expect(ending.code == 0, "\(host.seen)")
        let lines = host.seen.split(separator: "\n").map(String.init)
            .filter { !$0.hasPrefix("swapped labour") }
        try #require(lines.count == 7, "\(host.seen)")
        let (old, new) = (lines[1], lines[3])
        #expect(lines[2] == "turned" && old != new)
        // The old process serves those who have an instance of it, and ends with the last of them.
        #expect(Array(lines[4...]) == ["hello hello!", old, "gone"])
    }

    @Test("is taken back on probation if it ends its process, and not if others do")
    func probation() throws {
        // The pause lets a host that takes the kill for the module's mistake say so before the exit.
        let host = try LiveEaves(
            "launch", "--live", "boss", "pid", "gone", "fail:kill", "at-last", "sleep:1500",
            "fail:exit", "sleep:600000", in: folder.url)
        try host.wait(for: "\n")
        // The same code in another file, which is judged.
        let source = "Plugins/Labour/LabourModule.swift"
        try folder.write(try folder.read(source) + "// More.\n", to: source)
        try host.beside("build", "labour")
        try host.wait(
            for: "rolled back labour on probation, and its last file serves again: ", "\n")
        #expect(
            host.seen.contains("serves again: its process ended with exit code 3"), "\(host.seen)")
        _ = try host.end(by: SIGKILL)
    }

    @Test("is started there, and hands its state over to the next process")
    func state() throws {
        func prepare(_ version: Int) throws {
            try manifest(
                #""ledger": {"isolation": "process", "settings": {"version": "\#(version)"}}"#)
        }
        try prepare(1)
        let host = try LiveEaves(
            "launch", "--live", "boss", "ledger:5", "ledger-turned:2", "ledger:1", in: folder.url)
        try host.wait(for: "1: 5", "\n")
        try prepare(2)
        let ending = try host.finish()
        #expect(ending.code == 0, "\(host.seen)")
        #expect(host.seen.contains("turned\n2: 6\n"), "\(host.seen)")
    }
}
