// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesTestSupport
import Foundation
import Testing

@testable import EndToEndSupport

@Suite("eaves verify --only", .onOwnThreads, .patiently)
struct VerifyOnlyTests {
    private let workspace: Workspace

    init() throws {
        workspace = try Workspace.bare()
    }

    private func only(_ checks: String..., code: Int32) throws -> VerifyOutcome.Module {
        let options = checks.flatMap { ["--only", $0] }
        let outcome = try Eaves.run(
            Eaves.executable, ["verify", "--json"] + options, in: workspace.url)
        #expect(outcome.code == code, "\(outcome)")
        let decoded = try JSONDecoder().decode(
            VerifyOutcome.self, from: Data(outcome.output.utf8))
        return try #require(decoded.modules.first { $0.id != "common" })
    }

    @Test("fails with the check that the named one needs, and quarantines as without it")
    func crash() throws {
        try workspace.drop(
            CFixtures.module("MisbehavesInC", macros: ["CONSTRUCTOR": "abort()"]), as: "c.so")
        let module = try only("features-help", code: 70)
        #expect(module.checks.map(\.id) == ["loads", "features-help"])
        #expect(module.checks.map(\.result) == ["failed", "skipped"])
        #expect(module.checks.last?.message == "'loads' did not pass")
        #expect(!module.passed)
        #expect(try workspace.list().module("misbehaves-in-c")?.state == "quarantined")
    }

    @Test(
        "fails for a file that is cut short, whichever check is named",
        arguments: [
            "machine", "symbols", "loads", "ends", "declaration",
        ])
    func truncated(check: String) throws {
        let bytes = try Data(contentsOf: CFixtures.module("MisbehavesInC"))
        try workspace.drop(bytes.prefix(bytes.count / 2), as: "c.so")
        let module = try only(check, code: 65)
        #expect(module.checks.map(\.id) == ["elf-readable", check])
        #expect(!module.passed)
    }

    @Test("still says nothing of checks that it does not need, or that pass")
    func well() throws {
        try workspace.drop(
            CFixtures.module("MisbehavesInC", macros: ["DESTRUCTOR": "abort()"]), as: "c.so")
        let module = try only("registers", code: 0)
        #expect(module.checks.map(\.id) == ["registers"])
        #expect(module.passed)
    }
}
