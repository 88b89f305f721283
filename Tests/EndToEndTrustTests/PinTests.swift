// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesTestSupport
import Foundation
import Testing

@testable import EndToEndSupport

@Suite("pinning modules to their bytes", .onOwnThreads)
struct PinTests {
    @Test("writes the digest, also for a module without an entry, and keeps the rest")
    func pin() throws {
        let workspace = try Workspace()
        try workspace.manifest(
            "{\n  \"manifest\": 1,\n  \"bindings\": { \"UserService\": \"users-memory\" }\n}\n")
        let digest = try digest(of: "users", in: workspace)
        let pinned = try workspace.eaves("pin", "users")
        #expect(pinned.errors == "pinned users to \(digest)\n")
        #expect(pinned.output == "")
        #expect(pinned.code == 0)
        #expect(
            try workspace.folder.read("manifest.json") == """
                {
                  "manifest": 1,
                  "bindings": { "UserService": "users-memory" },
                  "modules": {
                    "users": {
                      "sha256": "\(digest)",
                      "leastVersion": "1.0.0"
                    }
                  }
                }

                """)
        #expect(try workspace.eaves("pin", "users").errors == "users is already pinned\n")
        try workspace.expectOthersWork()
    }

    @Test("shows the pin, and whether the digest matches")
    func shown() throws {
        let workspace = try Workspace()
        #expect(!(try workspace.eaves("list").output.contains("PINNED")))
        let digest = try digest(of: "users", in: workspace)
        _ = try workspace.eaves("pin", "users")
        let table = try workspace.eaves("list").lines.map { $0.split(separator: " ") }
        #expect(table.contains { $0.starts(with: ["MODULE", "VERSION", "STATE", "PINNED"]) })
        #expect(table.contains { $0.starts(with: ["users", "1.0.0", "ready", "yes"]) })
        #expect(table.contains { $0.starts(with: ["home", "1.0.0", "ready", "-"]) })
        let json = try workspace.eaves("list", "--json").output
        #expect(json.components(separatedBy: "\"pinned\": true").count == 2)
        #expect(json.components(separatedBy: "\"pinned\": false").count == 7)
        let inspected = try workspace.eaves("inspect", "users")
        #expect(inspected.lines.contains("pinned:    to SHA-256 \(digest)"))
        #expect(inspected.lines.contains("state:     ready"))
        try workspace.drop(try Workspace.bytes(of: "users") + [0], as: "users.so")
        let changed = try workspace.eaves("inspect", "--json", "users")
        #expect(changed.code == 77)
        #expect(changed.output.contains("\"state\": \"untrusted\""))
        #expect(changed.output.contains("\"sha256\": \"\(digest)\""))
    }

    @Test("removes the pin, and an entry that holds nothing else")
    func remove() throws {
        let workspace = try Workspace()
        let before = try workspace.folder.read("manifest.json")
        _ = try workspace.eaves("pin", "users")
        let removed = try workspace.eaves("pin", "--remove", "users", "home")
        #expect(removed.errors == "users is no longer pinned\nhome is not pinned\n")
        #expect(try workspace.folder.read("manifest.json") == before)
    }

    @Test("pins all modules that can be loaded, and names the others")
    func all() throws {
        let workspace = try Workspace()
        try workspace.drop(Data("no module".utf8), as: "text.so")
        let outcome = try workspace.eaves("pin", "--all")
        #expect(outcome.code == 0)
        #expect(outcome.errors.hasPrefix("warning: text: expected a shared object"))
        #expect(outcome.errors.components(separatedBy: "\npinned ").count == 8)
        try workspace.expectOthersWork()
        #expect(try workspace.eaves("pin", "--all", "--remove").code == 0)
        #expect(!(try workspace.folder.read("manifest.json").contains("sha256")))
    }

    @Test("writes nothing when one of several cannot be pinned")
    func untrusted() throws {
        let workspace = try Workspace()
        let before = try workspace.folder.read("manifest.json")
        try workspace.setMode(0o666, of: "Plugins/home.so")
        let outcome = try workspace.eaves("pin", "users", "home")
        #expect(outcome.code == 77)
        #expect(outcome.errors.contains("error: home: expected a file that only its owner"))
        #expect(try workspace.folder.read("manifest.json") == before)
    }

    @Test("pins a module while adding it")
    func add() throws {
        let workspace = try Workspace()
        let digest = try digest(of: "users", in: workspace)
        try workspace.folder.write("", to: "vendor/note")
        try FileManager.default.moveItem(
            atPath: workspace.path("Plugins/users.so"), toPath: workspace.path("vendor/users.so"))
        let added = try workspace.eaves("add", "--pin", "vendor/users.so")
        #expect(added.errors == "added users 1.0.0, pinned to \(digest)\n")
        try workspace.expectOthersWork()
        try (Workspace.bytes(of: "users") + [0]).write(
            to: workspace.url.appendingPathComponent("vendor/users.so"))
        #expect(try workspace.eaves("launch", "users").code == 77)
        // One that is found by itself is pinned where it is.
        let found = try workspace.eaves("add", "--pin", "Plugins/home.so")
        #expect(found.errors.hasPrefix("pinned home to "))
        #expect(
            try workspace.eaves("add", "Plugins/home.so").errors
                == "home is already known: Plugins/home.so\n")
    }

    private func digest(of id: String, in workspace: Workspace) throws -> String {
        let outcome = try Eaves.shell("sha256sum Plugins/\(id).so", in: workspace.url)
        return String(outcome.output.prefix { $0 != " " })
    }
}
