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
}
