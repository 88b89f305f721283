// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesSystem
import EavesTestSupport
import Testing

@testable import EavesHost

@Suite("The decision for a hot restart", .onOwnThreads)
struct RestartDecisionTests {
    private typealias Facts = RestartDecision.Facts

    private func file(_ number: UInt64) -> FileIdentity {
        FileIdentity(device: 1, inode: number, size: 1, modified: 1, changed: 1)
    }

    private func decision(generations: Int? = 4, bytes: Int? = 1000) -> RestartDecision {
        RestartDecision(HotRestart.Policy(generations: generations, bytes: bytes))
    }

    @Test("is none without a reason, and names the reason that there is")
    func causes() {
        let decision = decision()
        #expect(decision.cause(Facts()) == nil)
        #expect(decision.cause(Facts(generations: 3, bytes: 999)) == nil)
        #expect(decision.cause(Facts(generations: 4)) == .generations(4))
        #expect(decision.cause(Facts(bytes: 1000)) == .bytes(1000))
        #expect(
            decision.cause(Facts(modules: ["b": file(1), "a": file(2)])) == .modules(["a", "b"]))
        #expect(decision.cause(Facts(program: file(1))) == .program)
        #expect(decision.cause(Facts(linkerHolder: "c")) == .hang("c"))
        #expect(decision.cause(Facts(isRequested: true)) == .request)
    }

    @Test("knows no bound where the policy has none")
    func unbounded() {
        let decision = decision(generations: nil, bytes: nil)
        #expect(decision.cause(Facts(generations: 1_000_000, bytes: 1 << 40)) == nil)
    }

    @Test("does not try the same again after a failure, and tries what is new")
    func failures() {
        var decision = decision()
        let facts = Facts(
            generations: 5, bytes: 10, modules: ["a": file(1)], linkerHolder: "c",
            program: file(2), isRequested: true)
        decision.fail(with: facts)
        var later = facts
        later.isRequested = false
        #expect(decision.cause(later) == nil)
        later.generations = 9
        #expect(decision.cause(later) == .generations(9))
        later.generations = 5
        later.bytes = 1009
        #expect(decision.cause(later) == nil)
        later.bytes = 1010
        #expect(decision.cause(later) == .bytes(1010))
        later.modules["a"] = file(3)
        #expect(decision.cause(later) == .modules(["a"]))
        later.linkerHolder = "d"
        #expect(decision.cause(later) == .hang("d"))
        later.program = file(4)
        #expect(decision.cause(later) == .program)
        later.isRequested = true
        #expect(decision.cause(later) == .request)
    }
}
