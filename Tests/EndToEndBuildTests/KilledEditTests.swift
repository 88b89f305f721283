// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesSystem
import EavesTestSupport
import Foundation
import Glibc
import Testing

@testable import EndToEndSupport

/// Whatever a process does when it is killed, the next one finds the old state or the new one. A usual run kills at
/// some of the calls: `FaultyRuns` takes a `Soak.sample` of them.
@Suite("a command that is killed at any of its calls", .onOwnThreads, .patiently)
struct KilledEditTests {
    struct Edit: CustomTestStringConvertible, Sendable {
        /// Brings the project into the old state.
        var preparation: [[String]] = []
        let command: [String]
        /// What the command reads.
        var input: String?
        /// Leads from the new state to another one, and needs all that the new state should have.
        let next: [String]
        var testDescription: String { command.joined(separator: " ") }
    }

    static let edits = [
        Edit(command: ["swap", "UserService", "users-v2"], next: ["rollback"]),
        Edit(
            command: ["shell"], input: "swap UserService users-v2\nlaunch users\nquit\n",
            next: ["rollback"]),
        Edit(command: ["rollback"], next: ["rollback"]),
        Edit(command: ["rollback", "2"], next: ["swap", "UserService", "users-v2"]),
        Edit(
            preparation: [["pin", "users-memory"]], command: ["remove", "users-memory"],
            next: ["rollback"]),
        Edit(
            preparation: [["pin", "users-memory"], ["remove", "users-memory"]],
            command: ["rollback"], next: ["rollback"]),
        Edit(
            preparation: [["pin", "users-memory"], ["remove", "users-memory"]],
            command: ["rollback", "3"], next: ["remove", "home"]),
        Edit(command: ["add", "more/hello.so"], next: ["remove", "hello-c"]),
        Edit(command: ["add", "--pin", "more/hello.so"], next: ["remove", "hello-c"]),
        Edit(command: ["pin", "users", "login"], next: ["pin", "--remove", "users"]),
        Edit(
            preparation: [["pin", "users"]], command: ["pin", "--remove", "users"],
            next: ["pin", "users"]),
        Edit(command: ["enable", "home"], next: ["disable", "home"]),
        Edit(command: ["disable", "login"], next: ["enable", "login"]),
    ]

    @Test(
        "leaves the manifest and its history as they were, or as they should be", arguments: edits)
    func edit(edit: Edit) throws {
        let workspace = try Workspace.edited()
        let more = workspace.url.appendingPathComponent("more")
        try FileManager.default.createDirectory(at: more, withIntermediateDirectories: false)
        try FileManager.default.copyItem(
            at: CFixtures.hello.get(), to: more.appendingPathComponent("hello.so"))
        for command in edit.preparation { #expect(try workspace.eaves(command).code == 0) }
        let tables = [["list", "--json"]]
        let old = try workspace.state(tables)
        var runs = FaultyRuns(workspace: workspace, command: edit.command)
        runs.input = edit.input
        var new: [String]?
        try runs.whole { new = try workspace.state(tables) }
        let then = try #require(new)
        #expect(then != old)
        var seen: Set<Bool> = []
        try runs.each { fault in
            let state = try workspace.state(tables)
            #expect(state == old || state == then, "\(fault)")
            seen.insert(state == old)
            if state == old {
                #expect(
                    try workspace.eaves(edit.command, input: edit.input).code == 0, "\(fault)")
                #expect(try workspace.state(tables) == then, "\(fault)")
            }
            let outcome = try workspace.eaves(edit.next)
            #expect(outcome.code == 0, "\(fault): \(outcome)")
            // The next process that writes a file removes its unfinished ones. A shell writes others besides, and two of
            // them only if its live modules get the time to.
            var left = try runs.leftovers()
            if edit.input != nil {
                #expect(try workspace.eaves(edit.command, input: edit.input).code == 0)
                left = try runs.leftovers().filter { name in
                    ![".generation.eaves-", ".probation.json.eaves-"].contains { name.contains($0) }
                }
            }
            #expect(left == [], "\(fault)")
        }
        // There were runs that were killed before the change, and others after it.
        #expect(seen == [true, false])
    }

    @Test("clears all of the quarantine or nothing of it")
    func quarantine() throws {
        let workspace = try Workspace.edited()
        try workspace.crashes(["users", "login"], times: 3)
        let tables = [["quarantine", "--json"], ["list", "--json"]]
        let old = try workspace.state(tables)
        #expect(old[2].contains("\"quarantined\": true"))
        let runs = FaultyRuns(workspace: workspace, command: ["quarantine", "clear", "--all"])
        try runs.each { fault in
            let state = try workspace.state(tables)
            if state != old { #expect(state[2].contains("\"modules\": []"), "\(fault)") }
            #expect(try workspace.eaves("quarantine", "clear", "--all").code == 0)
            #expect(try workspace.state(tables)[2].contains("\"modules\": []"), "\(fault)")
            #expect(try runs.leftovers() == [], "\(fault)")
        }
    }

    @Test("counts the crashes of a log once, in this command or in the next one")
    func log() throws {
        let workspace = try Workspace.edited()
        try workspace.crashes(["users"], times: 2)
        let runs = FaultyRuns(workspace: workspace, command: ["list"])
        try runs.each { fault in
            let outcome = try workspace.eaves("quarantine", "--json")
            #expect(outcome.output.split(separator: "\"signalName\"").count == 3, "\(fault)")
            #expect(outcome.errors == "", "\(fault)")
            // The next change removes what is left.
            #expect(try workspace.eaves("quarantine", "clear", "--all").code == 0)
            #expect(try runs.leftovers() == [], "\(fault)")
        }
    }

    @Test("leaves a catalog that says what is there, or none")
    func catalog() throws {
        let workspace = try Workspace.edited()
        let list = try workspace.eaves("list")
        for name in ["catalog", nil] {
            let file = workspace.url.appendingPathComponent(name.map { ".eaves/\($0)" } ?? ".eaves")
            try FileManager.default.removeItem(at: file)
            let runs = FaultyRuns(workspace: workspace, command: ["list"])
            try runs.each { fault in
                let outcome = try workspace.eaves("list")
                #expect(outcome.output == list.output, "\(fault): \(outcome)")
                #expect(outcome.errors == list.errors, "\(fault): \(outcome)")
                #expect(try runs.leftovers() == [], "\(fault)")
            }
        }
    }

    @Test("leaves private copies that the next launch can use, or makes anew")
    func copies() throws {
        let workspace = try Workspace.edited()
        let modules = workspace.url.appendingPathComponent(".eaves/modules").path
        let runs = FaultyRuns(workspace: workspace, command: ["launch", "users"])
        try runs.each { fault in
            let outcome = try workspace.eaves("launch", "users")
            #expect(outcome.output == "1 Alice\n2 Bob\n", "\(fault): \(outcome)")
            #expect(outcome.errors == "", "\(fault): \(outcome)")
            let names = try FileManager.default.contentsOfDirectory(atPath: modules)
            let copies = names.filter { $0.hasSuffix(".so") && !$0.hasPrefix(".") }
            #expect(copies.count == 3, "\(fault): \(names)")
            for name in copies {
                let digest = try SHA256.digest(of: Files.read("\(modules)/\(name)")).hex
                #expect(name.hasSuffix("@\(digest).so"), "\(fault): \(name)")
            }
        }
    }

    @Test("uses no number of a generation twice")
    func generations() throws {
        let workspace = try Workspace.edited()
        let session = "launch users\ngenerations\nquit\n"
        func numbers() throws -> [Int] {
            let outcome = try workspace.eaves("shell", input: session)
            #expect(outcome.code == 0, "\(outcome)")
            return outcome.lines.compactMap { $0.split(separator: " ").first.flatMap { Int($0) } }
                .filter { $0 > 2 }
        }
        var runs = FaultyRuns(workspace: workspace, command: ["shell"])
        runs.input = session
        try runs.each { fault in
            let first = try numbers()
            let second = try numbers()
            #expect(!first.isEmpty && Set(first).isDisjoint(with: second), "\(fault)")
            // A process that was killed after it took numbers may have used them.
            #expect(first.max() ?? 0 < second.min() ?? 0, "\(fault)")
            #expect(try runs.leftovers() == [], "\(fault)")
        }
    }

    @Test("gives consent or does not", .enabled(if: geteuid() == 0, "needs root"))
    func consent() throws {
        let workspace = try Workspace(modules: ["users"])
        _ = try Eaves.shell("chown -R 54321 Plugins", in: workspace.url)
        let configuration = try TemporaryFolder()
        let environment = ["XDG_CONFIG_HOME": configuration.url.path]
        var runs = FaultyRuns(workspace: workspace, command: ["trust", "Plugins"])
        runs.environment = environment
        runs.further = [configuration.url.appendingPathComponent("eaves")]
        func listed() throws -> String {
            let outcome = try workspace.eaves(["trust", "--json"], environment: environment)
            #expect(outcome.code == 0, "\(outcome)")
            return outcome.output
        }
        let old = try listed()
        var seen: Set<Bool> = []
        try runs.each { fault in
            let isOld = try listed() == old
            seen.insert(isOld)
            #expect(
                try workspace.eaves(["trust", "Plugins"], environment: environment).code == 0,
                "\(fault)")
            #expect(try listed().contains("\"owner\": 54321"), "\(fault)")
            let left = FileManager.default.subpaths(atPath: configuration.url.path) ?? []
            #expect(left.filter { $0.contains(".eaves-") } == [], "\(fault)")
        }
        #expect(seen == [true, false])
    }

    /// A change that has been reported must survive a power cut, and the name of the new file with it.
    @Test("is on the disk when the command ends", .enabled(if: canTrace, "needs strace"))
    func lasts() throws {
        let workspace = try Workspace.edited()
        let swapped = try Eaves.shell(
            "strace -f -y -e trace=/rename,/link,fsync -o trace eaves swap UserService users-v2",
            in: workspace.url)
        #expect(swapped.code == 0, "\(swapped)")
        let calls = try workspace.folder.read("trace").split(separator: "\n")
        let renamed = try #require(calls.lastIndex { $0.contains("\"manifest.json\"") }, "\(calls)")
        let folder = "/\(workspace.url.lastPathComponent)>)"
        #expect(
            calls[renamed...].contains { $0.contains("fsync(") && $0.contains(folder) },
            "\(calls[renamed...])")
    }

    private static let canTrace =
        (try? Eaves.shell("strace -o /dev/null true", in: URL(fileURLWithPath: "/")).code) == 0
}

extension Workspace {
    /// Writes a log as processes do that crash, with the content that the modules have.
    fileprivate func crashes(_ ids: [String], times: Int) throws {
        var log = ""
        for (number, id) in ids.enumerated() {
            let file = plugins.appendingPathComponent("\(id).so").path
            let digest = try SHA256.digest(of: Files.read(file)).hex
            for time in 1...times {
                log += #"{"module":"\#(id)","path":"Plugins/\#(id).so","file":"\#(file)","#
                log += #""sha256":"\#(digest)","feature":"users","signal":11,"#
                log += #""process":\#(number * 10 + time),"time":\#(time)}"# + "\n"
            }
        }
        try folder.write(log, to: ".eaves/quarantine/crashes.log")
        _ = try Eaves.shell(
            "chmod 700 .eaves/quarantine; chmod 600 .eaves/quarantine/*", in: url)
    }
}
