// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesTestSupport
import Foundation
import Glibc
import Testing

@testable import EndToEndSupport

/// Modules that name the same worker share its process.
@Suite("modules that share a process", .onOwnThreads)
struct SharedWorkerTests {
    /// A copy of the built modules, for each test.
    private let folder: TemporaryFolder
    private var eaves: Eaves { Eaves(folder: folder.url, owner: folder) }

    init() throws {
        folder = try BuiltFixture.isolated.get().copy()
        try share()
    }

    /// Lets modules share a process.
    ///
    /// - Parameters:
    ///   - modules: Their ids, and the other members of their lines.
    ///   - rights: The members of all lines.
    private func share(
        _ modules: KeyValuePairs<String, String> = ["labour": "", "ledger": "", "notes": ""],
        rights: String = ""
    ) throws {
        let lines = modules.map { id, members in
            let all = [#""isolation": {"worker": "work"}"#, members, rights]
            return #""\#(id)": {\#(all.filter { !$0.isEmpty }.joined(separator: ", "))}"#
        }
        try folder.write(
            #"{"manifest": 1, "modules": {\#(lines.joined(separator: ", "))}}"#,
            to: "manifest.json")
    }

    private func settings(_ name: String, _ value: String) -> String {
        #""settings": {"\#(name)": "\#(value)"}"#
    }

    /// The lines of the feature, without those that the host tells at any time.
    private func printed(_ host: LiveEaves) -> [String] {
        host.seen.split(separator: "\n").map(String.init).filter { line in
            ["swapped ", "warning: ", "fix: "].allSatisfy { !line.hasPrefix($0) }
        }
    }

    private func boss(_ steps: String...) throws -> Eaves.Outcome {
        try eaves(["launch", "boss"] + steps)
    }

    @Test("have one process, and call each other and the host as modules of their own do")
    func together() throws {
        let outcome = try boss(
            "processes", "children", "add:3", "note:x", "notes", "ledger:4", "apprentice",
            "fail:typed", "numbers:1000", "cancel", "many:800")
        #expect(
            outcome.lines == [
                "AAA", "1", "3", "1", "1", "1: 4", "apprentice 6", "WorkError: a typed error",
                "499500, 1000 is the end", "cancelled", "403",
            ], "\(outcome)")
        #expect(outcome.code == 0 && outcome.errors.isEmpty, "\(outcome)")
    }

    @Test("have a feature among them, with the console and the exit code of the host")
    func feature() throws {
        try share(["clerk": "", "notes": ""])
        let outcome = try eaves(
            ["launch", "clerk", "say:hello", "note:a", "note:b", "ask:who", "code:7"],
            input: "me\n")
        try folder.write(#"{"manifest": 1}"#, to: "manifest.json")
        let inHost = try eaves(
            ["launch", "clerk", "say:hello", "note:a", "note:b", "ask:who", "code:7"],
            input: "me\n")
        #expect(outcome.output == inHost.output && outcome.code == 7, "\(outcome)")
        #expect(outcome.errors == inHost.errors, "\(outcome)")
    }

    @Test(
        "end together, and only the one that crashed is blamed, and goes on alone",
        arguments: [("trap", "SIGILL"), ("exit", "exit code 3"), ("segv", "SIGSEGV")])
    func crash(_ way: String, _ end: String) throws {
        let outcome = try boss("notes", "ledger:1", "fail:\(way)", "notes", "processes", "children")
        try #require(outcome.lines.count == 6, "\(outcome)")
        #expect(
            outcome.lines[2].hasPrefix("RemoteCallError: the process of module 'labour'")
                && outcome.lines[2].contains(end), "\(outcome)")
        #expect(Array(outcome.lines[3...]) == ["0", "ABB", "2"], "\(outcome)")
        // Each says whose code it was.
        for module in ["notes", "ledger", "labour"] {
            let line = try #require(
                outcome.errors.split(separator: "\n").first {
                    $0.contains("warning: \(module): its process") && $0.contains("Worker.fail")
                }, "\(outcome)")
            #expect(line.contains("of 'labour'") == (module != "labour"), "\(line)")
        }
    }

    @Test("are ended once by one that crashes again and again, which is kept out")
    func quarantine() throws {
        let outcome = try boss("ledger:1", "notes", "crashes:6", "processes")
        #expect(
            outcome.lines == ["1: 1", "0", "12 typed, 0 others, 6 answered", "ABB"], "\(outcome)")
        #expect(outcome.errors.split(separator: "warning: notes: ").count == 2, "\(outcome)")
        let kept = try eaves("quarantine")
        #expect(kept.output.contains("labour") && !kept.output.contains("notes"), "\(kept)")
    }

    @Test("are not disturbed by one of them that does not register")
    func refused() throws {
        try share(["labour": "", "ledger": #""settings": {"version": 1}"#, "notes": ""])
        let outcome = try boss("pid", "ledger:1", "pid", "notes", "ledger:1", "children")
        // The message has a line with its fix.
        try #require(outcome.lines.count == 8, "\(outcome)")
        #expect(
            outcome.lines[1].contains(
                "does not load or register in a process of its own: refused to register: setting 'version': expected a string"
            ), "\(outcome)")
        #expect(outcome.lines[0] == outcome.lines[3], "\(outcome)")
        #expect(outcome.lines[4] == "0" && outcome.lines[7] == "1", "\(outcome)")
    }

    @Test("go to the next process one by one, each with its own state and its own exchange")
    func exchanged() throws {
        let host = try LiveEaves(
            "launch", "--live", "boss", "processes", "ledger:5", "note:a", "processes-turned:ABA",
            "ledger:1", "notes", "processes-turned:AAB", "add:7", "processes-turned:AAA", "notes",
            in: folder.url)
        defer { host.signal(SIGKILL) }
        try host.wait(for: "1: 5", "\n")
        // The new ledger needs a new process, and the others stay.
        try share(["labour": "", "ledger": settings("version", "2"), "notes": ""])
        try host.wait(for: "2: 6\n")
        // Labour follows it there.
        try share([
            "labour": settings("greeting", "bye"), "ledger": settings("version", "2"), "notes": "",
        ])
        try host.wait(for: "\n7\n")
        try share([
            "labour": settings("greeting", "bye"), "ledger": settings("version", "2"),
            "notes": settings("x", "y"),
        ])
        let ending = try host.finish()
        #expect(ending.code == 0, "\(host.seen)")
        let lines = printed(host)
        // Its notes are not handed over; who holds the old ones goes on with them.
        #expect(
            lines == [
                "AAA", "1: 5", "1", "turned", "2: 6", "1", "turned", "7", "turned", "1",
            ], "\(host.seen)")
    }

    @Test("leave no process behind that none of them is in")
    func ends() throws {
        try share(["labour": "", "ledger": ""])
        let host = try LiveEaves(
            "launch", "--live", "boss", "pid", "ledger:1", "children", "turned:bye", "gone",
            "children", in: folder.url)
        defer { host.signal(SIGKILL) }
        try host.wait(for: "1: 1", "\n")
        try share(["labour": settings("greeting", "bye"), "ledger": settings("version", "2")])
        let ending = try host.finish()
        #expect(ending.code == 0, "\(host.seen)")
        let lines = printed(host)
        #expect(lines.dropFirst() == ["1: 1", "1", "turned", "gone", "1"], "\(host.seen)")
    }

    @Test("leave nothing of themselves in a process but their code and files")
    func letGo() throws {
        let host = try LiveEaves(
            "launch", "--live", "boss", "pid", "ledger:1", "note:x", "sleep:600000",
            in: folder.url)
        defer { host.signal(SIGKILL) }
        try host.wait(for: "1: 1\n", "1\n")
        let worker = try #require(Int32(printed(host).first ?? ""))
        func descriptors() throws -> Int {
            try FileManager.default.contentsOfDirectory(atPath: "/proc/\(worker)/fd").count
        }
        let before = try descriptors()
        try share(["labour": "", "ledger": settings("version", "2"), "notes": ""])
        // Those of its channel close with the last object that has it: the socket, its events and its flag.
        try Patience.wait(for: "fewer descriptors than \(before)") {
            try descriptors() <= before - 3
        }
    }

    @Test("have another process with other rights")
    func rights() throws {
        let host = try LiveEaves(
            "launch", "--live", "boss", "processes", "pid", "processes", "turned:bye", "processes",
            in: folder.url)
        defer { host.signal(SIGKILL) }
        try host.wait(for: "AAA\n")
        try share(
            ["labour": settings("greeting", "bye"), "ledger": "", "notes": ""],
            rights: #""permissions": {"read": ["manifest.json"]}, "limits": {"memory": "1GB"}"#)
        let ending = try host.finish()
        #expect(ending.code == 0, "\(host.seen)")
        let lines = printed(host)
        try #require(lines.count == 5, "\(host.seen)")
        #expect([lines[0]] + lines[2...] == ["AAA", "AAA", "turned", "AAA"], "\(host.seen)")
    }

    @Test("have the same rights, or are refused with the place of the difference")
    func unequal() throws {
        try share(["labour": "", "ledger": #""limits": {"memory": "1GB"}"#])
        let outcome = try boss("pid")
        #expect(outcome.code == 65)
        #expect(
            outcome.errors == """
                error: manifest.json:1:98: modules.ledger.isolation: shares the worker 'work' with \
                'labour', which has other 'limits.memory'
                fix: give both the same, or name another worker: one process has one set of rights

                """, "\(outcome)")
    }

    @Test("end with their host, whatever ends that")
    func hostKilled() throws {
        let host = try LiveEaves(
            "launch", "boss", "pid", "ledger:1", "sleep:600000", in: folder.url)
        try host.wait(for: "1: 1\n")
        let worker = try #require(Int32(host.seen.split(separator: "\n").first ?? ""))
        host.signal(SIGKILL)
        _ = try host.ending()
        try Patience.wait(for: "the end of \(worker)") { kill(worker, 0) != 0 }
    }

    @Test("are told by 'inspect'")
    func inspected() throws {
        #expect(try eaves("inspect", "labour").output.contains("isolation: in the worker 'work'\n"))
        #expect(try eaves("inspect", "labour", "--json").output.contains(#""worker": "work""#))
    }
}
