// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesTestSupport
import Foundation
import Testing

@testable import EndToEndSupport

/// What the command prints, compared with `Documentation/output.schema.json`.
@Suite("the schema of the JSON outputs", .onOwnThreads)
struct OutputSchemaTests {
    private func check(_ definition: String, _ outcome: Eaves.Outcome) throws {
        try OutputSchema.read(outcome.output, as: definition)
    }

    @Test("has all members that are printed, and no others")
    func printed() throws {
        let workspace = try Workspace()
        try workspace.drop(SwiftFixtures.module("misbehaves"))
        try workspace.misbehave(["factory": "trap"])
        try workspace.drop(Data("no module".utf8), as: "text.so")
        try workspace.eaves("disable", "home")
        let eaves = workspace.eaves
        try check("verify", eaves("verify", "--json"))
        try check("verifyListChecks", eaves("verify", "--list-checks", "--json"))
        try check("list", eaves("list", "--json"))
        try check("validate", eaves("validate", "--json"))
        try check("quarantine", eaves("quarantine", "--json"))
        for id in ["users-v2", "text", "misbehaves", "home"] {
            try check("inspect", eaves("inspect", "--json", id))
        }
    }
}
