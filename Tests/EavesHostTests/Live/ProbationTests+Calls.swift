// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import CommonInterface
import EavesInterface
import EavesQuarantine
import EavesRegistry
import EavesSystem
import EavesTestSupport
import EavesTrust
import Testing

@testable import EavesHost
@testable import EavesLife

// Calls that have not ended when the host judges a module, or that went to an older file.
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
        var reasons: [String] = []
        try Patience.wait(for: "the host to take the file back") {
            for case .rolledBack(let retreat) in host.catchUp() { reasons = retreat.reasons }
            return !reasons.isEmpty
        }
        #expect(
            reasons == [
                "3 calls have not returned within 1000.0 ms, and no other one has succeeded since"
            ])
        #expect(try host.users() == "first")
        end.set(true)
        try Patience.wait(for: "the calls to end") {
            judged.tally(hangingAfter: .seconds(1)).hanging == 0
        }
        #expect((judged.tally.calls, judged.tally.errors) == (3, 3))
    }

    @Test("judges a new file of a canary anew, by its own calls, and keeps just that file out")
    func newFileOfCanary() throws {
        let host = try host(
            of: "old", "new",
            probation: #"{ "seconds": 0, "calls": 10000, "steps": ["25%", "100%"] }"#)
        try host.swap("UserService", canary: "new", share: 0.25)
        #expect(host.changes() == ["UserService: old 75, new 25"])
        call(host, 400)
        let end = Awaited<Bool>()
        for _ in 0..<4 { try callEndlessly(host, until: end) }
        #expect(host.changes() == [])
        let trial = { host.live.standing.trials.first { $0.share != nil } }
        #expect(trial()?.calls == 100)
        try folder.dropUsers("newer", id: "new", version: "2.0.0")
        #expect(host.changes() == ["new: draining → serving"])
        let serving = host.generations.first { $0.module == "new" && $0.state == .serving }
        #expect(trial()?.generation == serving?.id)
        // The call of the older file that is under way is none of the newer one.
        end.set(true)
        #expect(trial()?.calls == 0 && trial()?.seconds == 0)
        for _ in 0..<3 {
            call(host, 40, failing: { $0 == "newer" })
            if host.changes() == ["new rolled back to old"] { break }
        }
        #expect(try (0..<8).map { _ in try host.users() } == Array(repeating: "old", count: 8))
        var errors: [QuarantineError] = []
        let records = QuarantineStore(Store(of: folder.path, .own)).read(&errors)?.records
        let newer = host.live.running[module: "new"].codes.last?.digest.hex
        #expect(records?.map(\.sha256) == [newer].compactMap(\.self))
    }
}
