// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesJSON
import EavesTestSupport
import Testing

@testable import EndToEndSupport

@Suite("eaves validate", .onOwnThreads)
struct ValidateTests {
    @Test("finds nothing wrong with the shipped modules, and runs none of their code")
    func shipped() throws {
        let workspace = try Workspace()
        try workspace.drop(
            CFixtures.module("MisbehavesInC", macros: ["CONSTRUCTOR": "abort()"]), as: "c.so")
        let outcome = try workspace.eaves("validate")
        #expect(outcome.output == "no problems\n")
        #expect(outcome.errors == "")
        #expect(outcome.code == 0)
        let report = try OutputSchema.read(
            workspace.eaves("validate", "--json").output, as: "validate")
        #expect(report["problems"]?.elements?.isEmpty == true)
    }
}
