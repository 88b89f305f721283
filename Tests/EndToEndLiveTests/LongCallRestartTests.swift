// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

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
