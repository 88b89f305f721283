// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesTestSupport
import Foundation
import Glibc
import Testing

@testable import EndToEndSupport

// How a process behind the wall ends, and which other processes it may have.

extension WallTests {
    @Test("says why a process is not started again")
    func vanishedFile() throws {
        try permit(#""read": ["others/secret", "others/pipe"]"#)
        // A call that reads from it waits.
        #expect(mkfifo(path("others/pipe"), 0o600) == 0)
        let host = try LiveEaves(
            "launch", "warden", "pid", "read=\(path("others/pipe"))", "pid", in: folder.url)
        try host.wait(for: "\n")
        let worker = try #require(host.numbers.first)
        try FileManager.default.removeItem(atPath: path("others/secret"))
        kill(worker, SIGKILL)
        #expect(try host.finish().code == 0)
        #expect(
            host.seen.contains(
                "RemoteCallError: the process of module 'prisoner' could not be started: cannot open "
                    + "\(path("others/secret")): No such file or directory"), "\(host.seen)")
    }

    @Test("lets a module pass no descriptor to its host, and use up no count of them")
    func descriptors() throws {
        let outcome = try warden("strike=pass", "strike=flight", "pid")
        let lines = outcome.lines
        try #require(lines.count == 3, "\(outcome)")
        #expect(
            lines[0].contains("a message brings descriptors, which no message does"), "\(lines)")
        var limit = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        #expect((Int(lines[1]) ?? .max) <= Int(limit.rlim_cur), "\(lines)")
        #expect(Int32(lines[2]) != nil)
    }

    @Test(
        "lets a module take no more of its host's memory than its share",
        arguments: ["1:4000:60000", "132:60000:200"])
    func memory(messages: String) throws {
        func peak(_ steps: String...) throws -> (kilobytes: Int, seen: String) {
            let host = try LiveEaves(
                ["launch", "warden"] + steps + ["sleep=600000"], in: folder.url)
            try host.wait(for: "again")
            let kilobytes = try CountingHost.memory("VmHWM", of: host.process)
            _ = try host.end(by: SIGKILL)
            return (kilobytes, host.seen)
        }
        let usual = try peak("say=00")
        let attacked = try peak("strike=hoard:\(messages)")
        #expect(attacked.kilobytes - usual.kilobytes < 64 << 10, "\(attacked), usually \(usual)")
    }

    @Test("gives a module no output that it could read or end")
    func output() throws {
        let host = try LiveEaves("launch", "warden", "pid", "sleep=600000", in: folder.url)
        try host.wait(for: "\n")
        let worker = try #require(host.numbers.first)
        func link(_ process: Int32, _ output: Int) throws -> String {
            try FileManager.default.destinationOfSymbolicLink(
                atPath: "/proc/\(process)/fd/\(output)")
        }
        let own = try [1, 2].map { try link(worker, $0) }
        let hosts = try [1, 2].map { try link(host.process, $0) }
        #expect(own[0] == own[1] && own[0].hasPrefix("pipe:"), "\(own)")
        #expect(Set(own).isDisjoint(with: hosts), "\(own) \(hosts)")
        _ = try host.end(by: SIGKILL)
    }

    @Test("shows in /proc what the page lists")
    func shownProcesses() throws {
        let page = try String(
            contentsOf: Repository.file("Documentation/Internals/Wall.md"), encoding: .utf8)
        func listed(_ start: String) throws -> Set<String> {
            let paragraph = try #require(
                page.split(separator: "\n\n").first { $0.hasPrefix(start) })
            return Set(paragraph.matches(of: #/`([^`]+)`/#).map { String($0.output.1) })
        }
        func shown(_ folder: String, _ names: [String]) throws -> Set<String> {
            let outcome = try eaves(
                ["launch", "warden"] + names.map { "read=\(folder)/\($0)" })
            try #require(outcome.lines.count == names.count, "\(outcome)")
            let refusals = [
                "Permission denied", "Operation not permitted", "No such file or directory",
            ]
            return Set(zip(names, outcome.lines).filter { !refusals.contains($1) }.map(\.0))
        }
        let files = FileManager.default
        let other = "/proc/\(getpid())"
        let names = try files.contentsOfDirectory(atPath: other)
        let ofOther = try shown(other, names)
        #expect(ofOther.isSuperset(of: ["cmdline", "stat"]), "\(ofOther)")
        #expect(ofOther.isSubset(of: try listed("Another process shows: ")), "\(ofOther)")
        let inside = try ["fd", "fdinfo", "map_files", "ns"].flatMap { folder in
            try files.contentsOfDirectory(atPath: "\(other)/\(folder)").prefix(4).map {
                "\(folder)/\($0)"
            }
        }
        #expect(try shown(other, inside + ["task/\(getpid())/environ"]) == [])
        let machine = try files.contentsOfDirectory(atPath: "/proc").filter { Int($0) == nil }
        let ofMachine = try shown("/proc", machine)
        #expect(ofMachine.isSubset(of: try listed("The machine shows: ")), "\(ofMachine)")
    }

    @Test("lets a module run the programs that it may, with its own rights")
    func running() throws {
        try permit(#""run": ["/bin/cat", "/bin/true"]"#)
        let outcome = try warden("run=/bin/true", "run=/bin/ls", "read=\(path("others/secret"))")
        #expect(outcome.lines == ["exit code 0", "Permission denied", "Permission denied"])
        let others = try warden("escape=\(path("others"))").lines
        let own: Set = [
            "make a process: worked", "make a process with fork: worked",
        ]
        // One way starts a program in the place of the module, whose process ends.
        #expect(others.filter { $0.hasSuffix(": worked") }.allSatisfy(own.contains))
    }

    @Test("ends with the programs and processes that it has started")
    func left() throws {
        try permit(#""run": ["/bin/sleep"]"#)
        // The messages end the process of the module.
        let outcome = try warden("leave=/bin/sleep", "leave", "say=00", "pid")
        let lines = outcome.lines
        try #require(lines.count == 4, "\(outcome)")
        #expect(lines[2].hasPrefix("RemoteCallError"))
        for line in lines[...1] + [lines[3]] {
            let process = try #require(Int32(line))
            #expect(process > 1)
            try CountingHost.waitForEnd(of: process)
        }
    }

    @Test("ends with its programs when its host ends, by itself or not", arguments: [true, false])
    func leftByHost(endsByItself: Bool) throws {
        try permit(#""run": ["/bin/sleep"]"#)
        let steps = ["launch", "warden", "leave=/bin/sleep", "leave"]
        let host = try LiveEaves(steps + (endsByItself ? [] : ["sleep=600000"]), in: folder.url)
        for _ in 1...2 { try host.wait(for: "\n") }
        let left = host.numbers
        try #require(left.count == 2, "\(host.seen)")
        if !endsByItself { host.signal(SIGKILL) }
        _ = try host.ending()
        for process in left {
            try CountingHost.waitForEnd(of: process)
        }
    }

    @Test("lets a module have as many processes at one time as it may")
    func processes() throws {
        try folder.write(
            """
            {"manifest": 1, "modules": {"prisoner": {"isolation": "process", \
            "permissions": {"run": ["/bin/sleep", "/bin/true", "/bin/sh"]}, "limits": {"processes": 3}}}}
            """, to: "manifest.json")
        let outcome = try warden(
            "run=/bin/true", "run=/bin/true", "run=/bin/true", "leave=/bin/sleep",
            "leave=/bin/sleep", "leave=/bin/sleep", "run=/bin/true", "bomb=20", "pid")
        #expect(outcome.code == 0)
        let lines = outcome.lines
        try #require(lines.count == 9, "\(outcome)")
        #expect(lines[..<3] == ["exit code 0", "exit code 0", "exit code 0"], "\(lines)")
        let left = lines[3..<6].compactMap { Int32($0) }
        #expect(left.count == 3 && left[0] > 1 && left[1] > 1 && left[2] < 0, "\(lines)")
        #expect(lines[6] == "Resource temporarily unavailable", "\(lines)")
        #expect(lines[7] == "0 of 20", "\(lines)")
        #expect(Int32(lines[8]) != nil)
        #expect(
            outcome.errors.contains(
                "prisoner: warning: may have no more than 3 processes at one time: 'limits.processes' "
                    + "of the manifest"), "\(outcome)")
        for process in left[..<2] {
            try CountingHost.waitForEnd(of: process)
        }
    }

    @Test("is found to have ended although its child holds on to the channel")
    func heldChannel() throws {
        try permit(#""run": ["/bin/sleep"]"#)
        let host = try LiveEaves(
            "launch", "warden", "leave", "pid", "sleep=1000", "pid", in: folder.url)
        for _ in 1...2 { try host.wait(for: "\n") }
        let numbers = host.numbers
        try #require(numbers.count >= 2, "\(host.seen)")
        kill(numbers[1], SIGKILL)
        #expect(try host.finish().code == 0)
        let last = host.numbers.last
        #expect(last != numbers[1], "\(host.seen)")
        try CountingHost.waitForEnd(of: numbers[0])
    }

    @Test("ends with its host, also if the module holds on to the channel")
    func outliving() throws {
        let host = try LiveEaves("launch", "warden", "pid", "sleep=600000", in: folder.url)
        try host.wait(for: "\n")
        let worker = try #require(host.numbers.first)
        kill(worker, SIGSTOP)
        _ = try host.end(by: SIGKILL)
        // A process that is stopped could not end by itself.
        try CountingHost.waitForEnd(of: worker)
    }
}

extension LiveEaves {
    /// The lines of the output that are numbers, such as those of processes.
    var numbers: [Int32] { seen.split(separator: "\n").compactMap { Int32($0) } }
}
