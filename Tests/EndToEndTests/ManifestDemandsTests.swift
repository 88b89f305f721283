// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesTestSupport
import Foundation
import Testing

@testable import EndToEndSupport

@Suite("what the manifest demands of a module", .onOwnThreads)
struct ManifestDemandsTests {
    @Test("a pinned digest that is wrong keeps the module out, and only that one")
    func wrongDigest() throws {
        let workspace = try Workspace()
        let digest = try digest(of: "users", in: workspace)
        let pinned = String(repeating: "0", count: 64)
        try workspace.pin("users", to: pinned)
        let message = """
            error: users: expected SHA-256 \(pinned), found \(digest) (Plugins/users.so)
            fix: put back the module that was pinned, or correct 'sha256' in the manifest if the \
            new one is meant
            """
        try workspace.eaves("launch", "users").expectFailure(77, message)
        let inspected = try workspace.eaves("inspect", "users")
        inspected.expectFailure(77, message, output: inspected.output)
        #expect(inspected.lines.contains("state:     untrusted"))
        let login = try workspace.eaves("launch", "login", "--name", "Alice")
        #expect(login.output == "Welcome home, Alice!\n")
    }

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

    @Test(
        "a process of its own, which a module cannot have, is refused and not ignored"
    )
    func isolation() throws {
        let workspace = try Workspace()
        try workspace.manifest(
            """
            {"manifest": 1, "modules": {"login": {"isolation": "process"}},
             "bindings": {"UserService": "users-memory"}}
            """)
        let outcome = try workspace.eaves("launch", "login")
        #expect(outcome.code == 78)
        #expect(
            outcome.errors.hasPrefix(
                "error: login: cannot run in a process of its own: EventHandler.swift:9: 'EventHandler' "
                    + "cannot be isolated: 'handle(_:)': parameter 'event': 'Event' is not Codable; "
            ))
        #expect(outcome.errors.contains("it requires Routing, which only the host's process has"))
    }

    @Test("a setting of the wrong type is refused by the module, in words that name it")
    func settings() throws {
        let workspace = try Workspace()
        try workspace.manifest(
            """
            {"manifest": 1, "modules": {"analytics": {"settings": {"path": 5}}},
             "bindings": {"UserService": "users-memory"}}
            """)
        try workspace.eaves("launch", "login", "--name", "Alice").expectFailure(
            65,
            """
            error: analytics: refused to register: manifest.json:1:64: setting 'path': expected a \
            string, found 5 (Plugins/analytics.so)
            fix: correct what the module reports, or switch the module off with 'eaves disable analytics'
            """)
        try workspace.expectOthersWork()
    }

    @Test("a library that is listed under another id than its own is refused")
    func otherID() throws {
        let workspace = try Workspace(modules: ["users", "users-memory"])
        try workspace.manifest(
            #"{"manifest": 1, "modules": {"people": {"library": "Plugins/users.so"}}}"#)
        try workspace.eaves("launch", "users").expectFailure(
            65,
            """
            error: manifest.json:1:29: modules.people: expected a module 'people', found 'users' \
            (Plugins/users.so)
            fix: list it as 'users', or name the library of 'people'
            """)
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
