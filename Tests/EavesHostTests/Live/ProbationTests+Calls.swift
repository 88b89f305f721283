// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import CommonInterface
import EavesInterface
import EavesRegistry
import EavesSystem
import EavesTestSupport
import Testing

@testable import EavesHost
@testable import EavesLife

// Calls that have not ended when the host judges a module.
extension ProbationTests {
    /// Makes a call on a thread of its own, which goes on until a test lets it end.
    private func callEndlessly(_ host: Host, until end: Awaited<Bool>) throws {
        let (begun, resolver) = (Awaited<Bool>(), host.services.resolver)
        try DetachedThread.start {
            try? resolver.call((any UserService).self) { _ in
                begun.set(true)
                _ = end.wait(within: Patience.limit)
            }
        }
        #expect(begun.wait(within: Patience.limit) == true)
    }

    @Test("takes a file back whose calls do not return, and counts none of them twice")
    func hangingCalls() throws {
        let host = try servingHost()
        #expect(host.changes() == [])
        call(host, 40)
        try folder.dropUsers("second")
        #expect(host.changes() == ["users: draining → serving"])
        let end = Awaited<Bool>()
        for _ in 0..<3 { try callEndlessly(host, until: end) }
        let judged = try #require(host.live.running.trials.first?.account)
        var changes: [HostChange] = []
        try Patience.wait(for: "the host to take the file back") {
            changes += host.catchUp()
            return !changes.isEmpty
        }
        guard case .rolledBack(let retreat)? = changes.first else {
            throw FixtureError("\(changes)")
        }
        #expect(
            retreat.reasons == [
                "3 calls have not returned within 1000.0 ms, and no other one has succeeded since"
            ])
        #expect(try host.users() == "first")
        end.set(true)
        try Patience.wait(for: "the calls to end") {
            judged.tally(hangingAfter: .seconds(1)).hanging == 0
        }
        #expect((judged.tally.calls, judged.tally.errors) == (3, 3))
    }
}
