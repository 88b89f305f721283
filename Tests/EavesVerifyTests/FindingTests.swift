// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesDiagnostics
import Testing

@testable import EavesVerify

@Suite("a finding")
struct FindingTests {
    private static let failure = Diagnostic("bad", code: .badData)
    private static let warning = Diagnostic("odd", code: .badData)

    @Test("of several is the worst of them, and says all of that")
    func several() {
        #expect(Finding(of: []) == .passed)
        #expect(Finding(of: [.passed, .passed]) == .passed)
        #expect(Finding(of: [.passed, .skipped("a"), .skipped("b")]) == .skipped("a; b"))
        #expect(Finding(of: [.warned([Self.warning]), .skipped("a")]) == .warned([Self.warning]))
        #expect(
            Finding(of: [.warned([Self.warning]), .failed([Self.failure]), .skipped("a")])
                == .failed([Self.failure, Self.warning]))
    }
}
