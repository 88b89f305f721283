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

    /// - Returns: The file's new path.
    private func move(_ id: String, of workspace: Workspace, to folder: URL) throws -> String {
        let target = folder.resolvingSymlinksInPath().appendingPathComponent("\(id).so").path
        try FileManager.default.moveItem(
            atPath: workspace.path("Plugins/\(id).so"), toPath: target)
        return target
    }
}
