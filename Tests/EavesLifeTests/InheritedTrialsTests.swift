// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesQuarantine
import Testing

@testable import EavesLife

@Suite("What a fresh process knows of the probations of the one before")
struct InheritedTrialsTests {
    private let trial = Trial(
        SuspectModule(id: "users", path: "Plugins/users.so", file: "none"), sha256: "ab",
        generation: 7, service: "UserService", from: "other", process: 1)

    @Test("is recorded under its own number, until the probation would be over")
    func time() {
        var running = Running()
        let now = ContinuousClock.now
        running.inherit([trial], until: now + .seconds(60))
        #expect(running.judges)
        #expect(running.nextEnd == now + .seconds(60))
        #expect(running.judge(at: now + .seconds(59)) { _ in nil }.isEmpty)
        #expect(running.records(of: 2) == [trial.passed(to: 2)])
        #expect(running.judge(at: now + .seconds(60)) { _ in nil }.isEmpty)
        #expect(running.records(of: 2) == [])
        #expect(!running.judges)
        #expect(running.nextEnd == nil)
    }

    @Test("is nothing if nothing was judged")
    func none() {
        var running = Running()
        running.inherit([], until: .now + .seconds(60))
        #expect(!running.judges)
    }
}
