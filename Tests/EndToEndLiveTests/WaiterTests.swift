// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesTestSupport
import Foundation
import Glibc
import Testing

@testable import EndToEndSupport

@Suite(
    "The process that waits for those in which eaves launch --live runs a feature",
    .onOwnThreads, .patiently)
struct WaiterTests {
    private let counting: CountingHost

    init() throws {
        counting = try CountingHost()
    }

    @Test("is the same for its parent whichever process serves, and ends as that does")
    func ending() throws {
        let host = try counting.launch()
        let first = try CountedCall(counting.socket)
        #expect(first.process != host.process)
        try host.restart()
        let second = try CountedCall(counting.socket)
        #expect(second.process != first.process)
        try host.restart()
        let third = try CountedCall(counting.socket)
        #expect(third.number == 3)
        // The others are gone, and this one has little memory of its own.
        for gone in [first, second] { try CountingHost.waitForEnd(of: gone.process) }
        // This memory belongs to the process alone, and no file has it.
        #expect(try CountingHost.memory("RssAnon", of: host.process) < 4 << 10)
        let ending = try host.end(by: SIGTERM)
        #expect(ending.signal == SIGTERM || ending.code == 128 + SIGTERM)
        let quitting = try counting.launch()
        #expect(try counting.quit(quitting) == (7, nil))
    }

    @Test(
        "starts a host that crashes again, with its sockets, and only the call that crashed fails")
    func crash() throws {
        let host = try counting.launch(["--no-build"])
        var serving = try CountedCall(counting.socket)
        // A host that has taken over before leaves its sockets here, too.
        for isFirst in [true, false] {
            if !isFirst {
                try host.restart()
                serving = try CountedCall(counting.socket)
            }
            let threads = CallingThreads(counting.socket)
            defer { _ = threads.end() }
            _ = try? CountedCall(counting.socket, "c")
            try host.wait(
                for: "this process goes on after \(serving.process) was ended by SIGABRT\n")
            try threads.awaitCalls(20)
            #expect(threads.end().failures == [])
            let next = try CountedCall(counting.socket)
            #expect(next.process != serving.process)
        }
        #expect(try counting.quit(host) == (7, nil))
    }

    @Test(
        "starts a host with the module that has crashed three times where none can serve without it"
    )
    func nothingServes() throws {
        let host = try counting.launch(["--no-build"])
        for _ in 0..<3 {
            let serving = try CountedCall(counting.socket).process
            _ = try? CountedCall(counting.socket, "c")
            try host.wait(for: "this process goes on after \(serving) was ended by SIGABRT\n")
        }
        try host.wait(
            for: "quarantined since ", "the next one starts in 1 s\n",
            "counts-calls: is let in until it crashes again")
        #expect(try CountedCall(counting.socket).number == 1)
        #expect(try counting.quit(host) == (7, nil))
    }

    @Test("ends in a pause by a signal that asks it to")
    func endedInPause() throws {
        let host = try counting.launch(["--no-build"])
        for _ in 0..<5 {
            kill(try CountedCall(counting.socket).process, SIGKILL)
        }
        try host.wait(for: "the next one starts in 2 s\n")
        #expect(try host.end(by: SIGTERM).signal == SIGTERM)
    }

    @Test("ends as the last host where none ever served")
    func neverServed() throws {
        try counting.workspace.drop(SwiftFixtures.module("misbehaves"))
        try counting.workspace.misbehave(["launch": "abort"])
        let host = try LiveEaves(
            "launch", "--no-build", "--live", "misbehave", in: counting.workspace.url,
            environment: ["SWIFT_BACKTRACE": "enable=no"])
        #expect(try host.ending().code == 70)
        #expect(host.seen.contains("none follows, because none has ever served\n"), "\(host.seen)")
    }

    @Test("starts no host again that was asked to end")
    func askedToEnd() throws {
        let host = try counting.launch()
        // As a watchdog does that wants a core.
        #expect(try host.end(by: SIGABRT).signal == SIGABRT)
        #expect(!host.seen.contains("goes on after"))
    }

    @Test("leaves no host behind, whatever ends it", arguments: [false, true])
    func killed(isLater: Bool) throws {
        let host = try counting.launch()
        if isLater { try host.restart() }
        host.signal(SIGKILL)
        // The output ends with the last process that has it.
        #expect(try host.ending().signal == SIGKILL)
    }

    @Test("starts a host again that crashes, although the one before was asked to end and went on")
    func askedBefore() throws {
        let host = try counting.launch(["--no-build"])
        _ = try CountedCall(counting.socket, "i")
        host.signal(SIGQUIT)
        try host.restart()
        let serving = try CountedCall(counting.socket).process
        _ = try? CountedCall(counting.socket, "c")
        try host.wait(for: "this process goes on after \(serving) was ended by SIGABRT\n")
        #expect(try counting.quit(host) == (7, nil))
    }

    /// The moments of a hand-over that can be seen from outside.
    enum Moment: CaseIterable {
        case announced, started, takenOver, answered, left
    }

    @Test(
        "loses no signal that comes while a process leaves", arguments: Moment.allCases,
        [false, true])
    func signalWhileLeaving(moment: Moment, isSecond: Bool) throws {
        let host = try counting.launch()
        if isSecond { try host.restart() }
        let leaving = try CountedCall(counting.socket).process
        let children = CountingHost.children(of: host.process)
        host.signal(SIGUSR2)
        switch moment {
        case .announced: try host.wait(for: "starting a fresh process")
        case .started:
            try Patience.wait(for: "a fresh process") {
                !CountingHost.children(of: host.process).union(CountingHost.children(of: leaving))
                    .subtracting(children).isEmpty
            }
        case .takenOver: try host.wait(for: "this process took over from \(leaving)\n")
        case .answered:
            try Patience.wait(for: "a call of the fresh process") {
                try CountedCall(counting.socket).process != leaving
            }
        case .left:
            try host.wait(for: "this process took over from \(leaving)\n")
            // The first process stays, as the one that its parent knows.
            if isSecond { try CountingHost.waitForEnd(of: leaving) }
        }
        let ending = try host.end(by: SIGTERM)
        #expect(ending.signal == SIGTERM || ending.code == 128 + SIGTERM)
    }

    /// How many sockets a process has open.
    private static func sockets(of process: Int32) throws -> Int {
        try CountingHost.openFiles(of: process).count { $0.hasPrefix("socket:") }
    }

    @Test("stops and goes on together when its parent asks for it, as a shell does by Control-Z")
    func stopping() throws {
        let host = try counting.launch()
        try host.restart()
        let serving = try CountedCall(counting.socket).process
        #expect(serving != host.process)
        host.signal(SIGTSTP)
        for process in [host.process, serving] { try Self.wait(for: process) { $0 == "T" } }
        host.signal(SIGCONT)
        for process in [host.process, serving] { try Self.wait(for: process) { $0 != "T" } }
        #expect(try CountedCall(counting.socket).process == serving)
        #expect(try counting.quit(host).code == 7)
    }

    /// Waits for a state of a process, as its letter in `/proc` says: `T` if it is stopped.
    private static func wait(for process: Int32, until isThere: (Character) -> Bool) throws {
        try Patience.wait(for: "the other state of process \(process)") {
            let text = try String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8)
            // The name of the program stands in brackets, and may have some itself.
            return text.split(separator: ")").last?.dropFirst().first.map(isThere) ?? false
        }
    }

    @Test(
        "takes calls on sockets that were opened for it, as systemd does, and hands all of them on")
    func activation() throws {
        let listener = try LiveEaves.listen(at: counting.socket)
        defer { close(listener) }
        // More than go into one word of the waiter.
        let count = 300
        let names = "count" + String(repeating: ":spare", count: count - 1)
        let host = try LiveEaves(
            [
                "-c",
                "LISTEN_PID=$$ LISTEN_FDS=\(count) LISTEN_FDNAMES=\(names) exec \"$0\" launch --live count \"$1\"",
                Eaves.executable.path, "/nowhere/at/all",
            ], program: URL(fileURLWithPath: "/bin/sh"), in: counting.workspace.url,
            further: Array(repeating: listener, count: count))
        let first = try CountedCall(counting.socket).process
        #expect(first != host.process)
        try host.restart()
        let second = try CountedCall(counting.socket)
        #expect(second.number == 2)
        #expect(try Self.sockets(of: second.process) >= count)
        kill(second.process, SIGKILL)
        try host.wait(for: "this process goes on after \(second.process) ")
        let third = try CountedCall(counting.socket).process
        #expect(try Self.sockets(of: third) >= count)
        #expect(try counting.quit(host).code == 7)
    }
}
