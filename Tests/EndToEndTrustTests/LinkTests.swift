// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesTestSupport
import Foundation
import Glibc
import Testing

@testable import EndToEndSupport

@Suite("links, and paths out of the manifest's folder", .onOwnThreads)
struct LinkTests {
    @Test("a link that leads out of the directories is refused, until the manifest lists it")
    func escape() throws {
        let (workspace, other) = (try Workspace(), try TemporaryFolder())
        let target = try move("users", of: workspace, to: other.url)
        try workspace.link("Plugins/users.so", to: target)
        let message = """
            error: users: expected a file in the manifest's directories, found a link that leads \
            out of them, to \(target) (Plugins/users.so)
            fix: copy the file there in place of the link, or list it: 'eaves add Plugins/users.so'
            """
        try workspace.expectUntrusted("users", message)
        try workspace.runFix(of: message)
        try workspace.expectOthersWork()
    }

    @Test("a directory whose name begins like one of the manifest's is outside of them")
    func sibling() throws {
        let workspace = try Workspace()
        try workspace.folder.write("", to: "Plugins-old/note")
        _ = try move(
            "users", of: workspace, to: workspace.url.appendingPathComponent("Plugins-old"))
        try workspace.link("Plugins/users.so", to: "../Plugins-old/users.so")
        try workspace.expectUntrusted(
            "users",
            """
            error: users: expected a file in the manifest's directories, found a link that leads \
            out of them, to Plugins-old/users.so (Plugins/users.so)
            fix: copy the file there in place of the link, or list it: 'eaves add Plugins/users.so'
            """)
    }

    @Test("a link to a file in one of the directories is followed")
    func inside() throws {
        let workspace = try Workspace()
        try workspace.folder.write("", to: "Plugins/.shelf/note")
        try workspace.folder.write("", to: "More/note")
        try workspace.manifest(
            #"{"manifest": 1, "directories": ["Plugins", "More"], "bindings": {"UserService": "users-memory"}}"#
        )
        for (id, shelf, target) in [
            ("users", "Plugins/.shelf", ".shelf/users.so"),
            ("home", "More", "../More/home.so"),
        ] {
            _ = try move(id, of: workspace, to: workspace.url.appendingPathComponent(shelf))
            try workspace.link("Plugins/\(id).so", to: target)
        }
        let modules = try workspace.list().modules
        #expect(modules.first { $0.path == "Plugins/users.so" }?.state == "ready")
        #expect(try workspace.eaves("launch", "users").output == "1 Alice\n2 Bob\n")
    }

    @Test("a directory of the manifest may be a link itself")
    func directory() throws {
        let (workspace, other) = (try Workspace(), try TemporaryFolder())
        let target = other.url.appendingPathComponent("modules").path
        try FileManager.default.moveItem(atPath: workspace.path("Plugins"), toPath: target)
        try workspace.link("Plugins", to: target)
        try workspace.expectOthersWork()
        // What the link leads through counts.
        guard chmod(other.url.path, 0o777) == 0 else { throw FixtureError("chmod") }
        let outcome = try workspace.eaves("launch", "users")
        #expect(outcome.code == 77)
        #expect(outcome.errors.hasPrefix("error: \(other.url.path): expected a directory that"))
    }

    @Test("a library that the manifest lists may lie anywhere", arguments: [true, false])
    func listed(isAbsolute: Bool) throws {
        let (workspace, other) = (try Workspace(), try TemporaryFolder())
        let target = try move("users", of: workspace, to: other.url)
        let library = isAbsolute ? target : "../\(other.url.lastPathComponent)/users.so"
        try workspace.manifest(
            """
            {"manifest": 1, "modules": {"users": {"library": "\(library)"}},
             "bindings": {"UserService": "users-memory"}}
            """)
        try workspace.expectOthersWork()
    }

    @Test("a link that someone else could redirect on its way is refused")
    func chain() throws {
        let (workspace, other) = (try Workspace(), try TemporaryFolder())
        let shelf = try move("users", of: workspace, to: workspace.url)
        try workspace.link("Plugins/users.so", to: other.url.path + "/middle.so")
        guard symlink(shelf, other.url.path + "/middle.so") == 0 else {
            throw FixtureError("ln")
        }
        #expect(try workspace.eaves("add", "Plugins/users.so").code == 0)
        try workspace.expectOthersWork()
        // The link stands in a good place and so does the file. What is between them does not.
        guard chmod(other.url.path, 0o777) == 0 else { throw FixtureError("chmod") }
        let outcome = try workspace.eaves("launch", "users")
        #expect(outcome.code == 77)
        #expect(outcome.errors.hasPrefix("error: \(other.url.path): expected a directory that"))
    }

    /// - Returns: The file's new path.
    private func move(_ id: String, of workspace: Workspace, to folder: URL) throws -> String {
        let target = folder.resolvingSymlinksInPath().appendingPathComponent("\(id).so").path
        try FileManager.default.moveItem(
            atPath: workspace.path("Plugins/\(id).so"), toPath: target)
        return target
    }
}
