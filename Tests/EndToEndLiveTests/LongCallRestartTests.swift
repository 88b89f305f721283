// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesSystem
import EavesTestSupport
import Foundation
import Glibc
import Testing

@testable import EndToEndSupport

@Suite(
    "eaves launch --live, when a fresh process takes over while a call is under way that takes long",
    .onOwnThreads, .patiently)
struct LongCallRestartTests {
    @Test("is put off, serves on meanwhile, and takes over when that call has ended, several times")
    func puttingOff() throws {
        let relay = try RelayHost()
        let host = try relay.launch()
        let threads = CallingThreads(relay.socket)
        defer { _ = threads.end() }
        try threads.awaitCalls(20)
        var late: [CountedCall] = []
        for _ in 0..<2 {
            let old = try #require(threads.process)
            let call = try HeldCall(relay.socket)
            // Calls are taken in their order, so that the process has that one by then.
            try threads.awaitCalls(2)
            host.signal(SIGUSR2)
            try host.wait(for: Self.putOff)
            try threads.awaitCalls(5)
            #expect(threads.process == old)
            let answer = try call.finish()
            #expect(answer.process == old)
            late.append(answer)
            try host.wait(for: "this process took over from ")
            try Patience.wait(for: "calls of the fresh process") { threads.process != old }
        }
        let (calls, failures) = threads.end()
        #expect(failures == [])
        #expect((calls + late).map(\.number).sorted() == Array(1...calls.count + 2))
        #expect(!host.seen.contains("in time"), "\(host.seen)")
        #expect(!host.seen.contains("is lost"), "\(host.seen)")
        #expect(try host.end(by: SIGTERM).signal == SIGTERM)
    }

    private static let putOff =
        "not restarted: it is put off: calls that are under way did not end within "

    @Test("waits for calls of a service that keeps state, serves on meanwhile, and tries again")
    func slowCall() throws {
        let relay = try RelayHost()
        let host = try relay.launch()
        let first = try CountedCall(relay.socket)
        let call = try HeldCall(relay.socket)
        try call.send("s")
        var calls = [first]
        try Patience.wait(for: "the call in the service") {
            calls.append(try CountedCall(relay.socket))
            return calls.count < calls[calls.count - 1].number
        }
        let threads = CallingThreads(relay.socket)
        defer { _ = threads.end() }
        host.signal(SIGUSR2)
        try host.wait(for: Self.putOff)
        #expect(!host.seen.contains("starting a fresh process"))
        try threads.awaitCalls(2)
        #expect(threads.process == first.process)
        let slow = try call.finish()
        #expect(slow.process == first.process)
        try host.wait(for: "starting a fresh process", "this process took over from ")
        try Patience.wait(for: "calls of the fresh process") { threads.process != first.process }
        let (further, failures) = threads.end()
        #expect(failures == [])
        let numbers = (calls + further + [slow]).map(\.number)
        #expect(numbers.sorted() == Array(1...numbers.count))
        #expect(try host.end(by: SIGTERM).signal == SIGTERM)
        #expect(host.seen.components(separatedBy: "it is put off").count == 2, "told once")
    }

    @Test("loses nothing that such a call writes without 'call'")
    func withoutCall() throws {
        let counting = try CountingHost()
        let host = try counting.launch()
        let first = try CountedCall(counting.socket)
        // The feature answers one call after another, and so is at this one.
        let call = try heldCall(counting.socket, in: first.process)
        host.signal(SIGUSR2)
        try host.wait(for: Self.putOff)
        // It begins again next to this call, although it never suspends.
        let further = try CountedCall(counting.socket)
        #expect(further.process == first.process)
        #expect(further.number == first.number + 1)
        #expect(try call.finish().number == first.number + 2)
        try host.wait(for: "this process took over from ")
        let second = try CountedCall(counting.socket)
        #expect(second.number == first.number + 3)
        #expect(second.process != first.process)
        // The fresh process has the socket, although the feature has ended twice in the old one.
        kill(second.process, SIGKILL)
        try host.wait(for: "this process goes on after \(second.process) was ended by SIGKILL\n")
        #expect(try CountedCall(counting.socket).process != second.process)
        #expect(!host.seen.contains("is lost"), "\(host.seen)")
        #expect(try counting.quit(host).code == 7)
    }

    /// A call that a process has taken: without a wait, the process may leave it to the next one.
    private func heldCall(_ socket: String, in process: Int32) throws -> HeldCall {
        // Each has the number of its inode; that of the call before may be there a moment longer.
        func sockets() throws -> Set<String> {
            Set(try CountingHost.openFiles(of: process).filter { $0.hasPrefix("socket:") })
        }
        let before = try sockets()
        let call = try HeldCall(socket)
        try Patience.wait(for: "the call in process \(process)") {
            try !sockets().isSubset(of: before)
        }
        return call
    }

    /// A call that the old process is at before the module with state is loaded, and a fresh process, which has loaded it.
    private func lateCall(
        _ relay: RelayHost, _ host: LiveEaves
    ) throws -> (call: HeldCall, old: Int32, fresh: Int32) {
        let old = try #require(CountingHost.children(of: host.process).first)
        // The feature has a copy of its socket, besides the one that is kept. A child of the waiter that has not become the
        // program yet has copies of other sockets.
        func copied(in process: Int32) -> Set<String> {
            let files = (try? CountingHost.openFiles(of: process)) ?? []
            return Set(
                files.filter { file in
                    file.hasPrefix("socket:") && files.count { $0 == file } > 1
                })
        }
        var listening: Set<String> = []
        try Patience.wait(for: "the copy of the socket") {
            listening = copied(in: old)
            return !listening.isEmpty
        }
        let call = try heldCall(relay.socket, in: old)
        host.signal(SIGUSR2)
        var fresh: Int32 = 0
        try Patience.wait(for: "a fresh process that takes calls") {
            fresh = CountingHost.children(of: host.process).subtracting([old]).first ?? 0
            return !copied(in: fresh).isDisjoint(with: listening)
        }
        let first = try CountedCall(relay.socket)
        #expect(first.process == fresh && first.number == 1)
        return (call, old, fresh)
    }

    @Test("loads no module with state for a late call: the fresh process has its state")
    func firstLoad() throws {
        let relay = try RelayHost()
        let host = try relay.launch()
        let (call, old, fresh) = try lateCall(relay, host)
        #expect(throws: (any Error).self) { try call.finish() }
        try host.wait(for: "the feature did not end in time", "took over from \(old)\n")
        let second = try CountedCall(relay.socket)
        #expect(second.process == fresh && second.number == 2)
        #expect(try host.end(by: SIGTERM).signal == SIGTERM)
    }

    @Test("serves on in the old process if the fresh one is gone by then, and tries again")
    func lostSuccessor() throws {
        let relay = try RelayHost()
        let host = try relay.launch()
        let old: Int32
        do {
            let late = try lateCall(relay, host)
            old = late.old
            kill(late.fresh, SIGKILL)
            try CountingHost.waitForEnd(of: late.fresh)
            // Here, the call ends.
        }
        try host.wait(for: "not restarted: it is put off: a fresh process ended with ")
        #expect(try CountedCall(relay.socket).number == 1)
        try host.wait(for: "this process took over from \(old)\n")
        let second = try CountedCall(relay.socket)
        #expect(second.process != old && second.number == 2)
        #expect(try host.end(by: SIGTERM).signal == SIGTERM)
    }

    @Test("says that a call is lost that does not end at all")
    func overdue() throws {
        let relay = try RelayHost()
        let host = try relay.launch()
        let first = try CountedCall(relay.socket)
        let call = try heldCall(relay.socket, in: first.process)
        host.signal(SIGUSR2)
        try host.wait(
            for: "the feature did not end in time: calls that are under way in it are lost")
        try host.wait(for: "this process took over from ")
        #expect(throws: (any Error).self) { try call.finish() }
        let last = try CountedCall(relay.socket)
        #expect(last.number == first.number + 1)
        #expect(last.process != first.process)
        #expect(try host.end(by: SIGTERM).signal == SIGTERM)
    }
}
