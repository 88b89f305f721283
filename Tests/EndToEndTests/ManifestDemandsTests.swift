// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesTestSupport
import Foundation
import Testing

@testable import EndToEndSupport

@Suite("what the manifest demands of a module", .onOwnThreads)
struct ManifestDemandsTests {
    @Test(
        "nothing is compiled against an interface module that is not the pinned one, or not signed")
    func interface() throws {
        let workspace = try Workspace(modules: [])
        try workspace.folder.write(
            #"{"id": "greeter", "version": "1.0.0", "layer": "feature", "interfaces": ["common"]}"#,
            to: "Plugins/Greeter/module.json")
        try workspace.folder.write(
            """
            import CommonInterface
            import EavesInterface

            enum GreeterModule: Module {
                static func register(in registrar: any Registrar) {}
            }

            """, to: "Plugins/Greeter/Greeter.swift")
        let pinned = String(repeating: "0", count: 64)
        try workspace.pin("common", to: pinned)
        let digest = try digest(of: "common", in: workspace)
        try workspace.eaves("build", "greeter").expectFailure(
            77,
            """
            error: common: expected SHA-256 \(pinned), found \(digest) (Plugins/common.so)
            fix: put back the module that was pinned, or correct 'sha256' in the manifest if the \
            new one is meant
            """)
        try workspace.manifest(
            #"{"manifest": 1, "signatures": "required", "allowedSigners": "signers"}"#)
        try workspace.folder.write("", to: "signers")
        let unsigned = try workspace.eaves("build", "greeter")
        #expect(unsigned.code == 77)
        #expect(unsigned.errors.contains("common"))
        #expect(
            !FileManager.default.fileExists(
                atPath: workspace.plugins.appendingPathComponent("greeter.so").path))
        try workspace.pin("common", to: digest)
        #expect(try workspace.eaves("build", "greeter").code == 0)
    }

    private func digest(of id: String, in workspace: Workspace) throws -> String {
        let outcome = try Eaves.shell("sha256sum Plugins/\(id).so", in: workspace.url)
        return String(outcome.output.prefix { $0 != " " })
    }
}

extension Workspace {
    fileprivate func pin(_ id: String, to digest: String) throws {
        try manifest(
            """
            {"manifest": 1, "modules": {"\(id)": {"sha256": "\(digest)"}},
             "bindings": {"UserService": "users-memory"}}
            """)
    }
}
