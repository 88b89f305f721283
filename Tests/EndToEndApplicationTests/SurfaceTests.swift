// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesTestSupport
import Testing

@testable import EndToEndSupport

@Suite("options, messages and injected properties of a real module", .onOwnThreads)
struct SurfaceTests {
    private func workspace() throws -> Workspace {
        let workspace = try Workspace(modules: ["users"])
        try workspace.drop(try SwiftFixtures.module("takes-options"))
        try workspace.bind(["UserService": "takes-options"])
        return workspace
    }

    @Test("options and arguments are told apart, and only output goes to standard output")
    func launch() throws {
        let outcome = try workspace().eaves("launch", "weather", "--unit", "f", "Berlin")
        #expect(outcome.output == "Berlin: 20 °f\nevents: true, homes: false\n")
        #expect(outcome.errors == "takes-options: error: no room for 'Berlin'\n")
        #expect(outcome.code == 0)
    }

    @Test("-v shows all that a module logs, in factories that are awaited, too")
    func verbose() throws {
        let outcome = try workspace().eaves("launch", "-v", "weather", "--brief", "Berlin")
        #expect(outcome.output == "Berlin: 20\nevents: true, homes: false\n")
        let lines = outcome.errors.split(separator: "\n").filter { !$0.hasPrefix("loaded ") }
        #expect(
            lines == [
                "takes-options: info: connecting", "takes-options: debug: asked for 1 cities",
                "takes-options: error: no room for 'Berlin'",
            ])
    }
}
