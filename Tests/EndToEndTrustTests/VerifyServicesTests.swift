// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesTestSupport
import Testing

@testable import EndToEndSupport

@Suite("eaves verify, of services that the host keeps", .onOwnThreads, .patiently)
struct VerifyServicesTests {
    private func verify(_ manifest: String) throws -> VerifyOutcome.Module {
        let workspace = try Workspace(modules: [])
        try workspace.drop(SwiftFixtures.module("kept-services"))
        try workspace.manifest(manifest)
        return try #require(try workspace.verify(code: 0).first)
    }

    @Test("warns about none of them: the host releases its own references")
    func released() throws {
        let module = try verify(#"{"manifest": 1}"#)
        #expect(module.ids("warned") + module.ids("failed") == [], "\(module)")
        #expect(try module.check("services-dropped").result == "passed")
        #expect(try module.check("registers-twice").result == "passed")
    }

    @Test("warns about one that keeps itself alive, in the scope shared, too")
    func leak() throws {
        let module = try verify(
            #"{"manifest": 1, "modules": {"kept-services": {"settings": {"leak": "yes"}}}}"#)
        #expect(module.ids("warned") == ["services-dropped"])
        #expect(
            try module.check("services-dropped").message?.hasPrefix(
                "kept-services: UserService stays alive after the host released it") == true)
    }
}
