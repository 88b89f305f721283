// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesTestSupport
import Foundation
import Testing

@testable import EndToEndSupport

@Suite(
    "a file that we may not read", .onOwnThreads,
    .enabled(if: Unprivileged.isPossible, Unprivileged.need))
struct UnreadableTests {
    @Test("is refused with the missing permission, and does not affect other modules")
    func module() throws {
        let workspace = try Workspace()
        try workspace.drop(try Workspace.bytes(of: "home"), as: "secret.so")
        try workspace.forbid("Plugins/secret.so")
        let listed = try Unprivileged.eaves("list", in: workspace.url)
        #expect(
            listed.errors == """
                warning: secret: cannot open the file: Permission denied (Plugins/secret.so)
                fix: check the owner and permissions of Plugins/secret.so

                """)
        #expect(listed.code == 0)
        let inspected = try Unprivileged.eaves("inspect", "secret", in: workspace.url)
        #expect(inspected.code == 77)
        let launched = try Unprivileged.eaves("launch", "users", in: workspace.url)
        #expect(launched.output == "1 Alice\n2 Bob\n")
        #expect(launched.errors == "")
    }

    @Test("is refused when it is the manifest")
    func manifest() throws {
        let workspace = try Workspace()
        try workspace.forbid("manifest.json")
        let path = workspace.realPath + "/manifest.json"
        try Unprivileged.eaves("list", in: workspace.url).expectFailure(
            77,
            """
            error: cannot open \(path): Permission denied
            fix: check the owner and permissions of \(path)
            """)
    }
}

/// Runs the command as a user whom permissions restrict.
enum Unprivileged {
    static let need: Comment = "needs a user other than root, or 'setpriv' to become one"

    /// Whether we are not root, or can become another user who can run the command.
    static let isPossible: Bool = {
        if geteuid() != 0 { return true }
        guard FileManager.default.fileExists(atPath: setpriv.path) else { return false }
        let outcome = try? eaves("--version", in: URL(fileURLWithPath: "/"))
        return outcome?.code == 0
    }()

    static func eaves(_ arguments: String..., in folder: URL) throws -> Eaves.Outcome {
        guard geteuid() == 0 else { return try Eaves.run(Eaves.executable, arguments, in: folder) }
        let nobody = ["--reuid=65534", "--regid=65534", "--clear-groups"]
        return try Eaves.run(
            setpriv, nobody + [Eaves.executable.path] + arguments, in: folder)
    }

    private static let setpriv = URL(fileURLWithPath: "/usr/bin/setpriv")
}

extension Workspace {
    /// Takes all permissions from a file.
    fileprivate func forbid(_ path: String) throws {
        try FileManager.default.setAttributes(
            [.posixPermissions: 0], ofItemAtPath: url.appendingPathComponent(path).path)
    }
}
