// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesDiagnostics
import EavesTestSupport
import Testing

@testable import EavesVerify

@Suite("the conclusion of a check", .onOwnThreads)
struct CheckConclusionTests {
    private static let failure = Diagnostic("bad", code: .badData)
    private static let warning = Diagnostic("odd", code: .badData)

    @Test("of several is the worst of them, and says all of that")
    func several() {
        #expect(CheckConclusion(joining: []) == .passed)
        #expect(CheckConclusion(joining: [.passed, .passed]) == .passed)
        #expect(
            CheckConclusion(joining: [.passed, .skipped("a"), .skipped("b")]) == .skipped("a; b"))
        #expect(
            CheckConclusion(joining: [.warned([Self.warning]), .skipped("a")])
                == .warned([Self.warning]))
        #expect(
            CheckConclusion(joining: [
                .warned([Self.warning]), .failed([Self.failure]), .skipped("a"),
            ])
                == .failed([Self.failure, Self.warning]))
    }
}
