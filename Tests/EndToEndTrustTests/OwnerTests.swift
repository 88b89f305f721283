// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesTestSupport
import Foundation
import Glibc
import Testing

@testable import EndToEndSupport

@Suite(
    "refuses files that belong to someone else", .onOwnThreads,
    .enabled(if: geteuid() == 0, "needs root"))
struct OwnerTests {
    /// The number of no user.
    private static let stranger: uid_t = 54321

    @Test("a module's file")
    func module() throws {
        let workspace = try Workspace()
        try workspace.setOwner(Self.stranger, of: "Plugins/users.so")
        let message = """
            error: users: expected a file that belongs to root, found that it belongs to 54321 \
            (Plugins/users.so)
            fix: if you trust it, make it yours: copy it, or run 'chown root Plugins/users.so' as \
            root
            """
        try workspace.expectUntrusted("users", message)
        #expect(try workspace.list().modules.filter { $0.state == "ready" }.count == 6)
    }

    @Test(
        "a directory on its path, the manifest's folder, the manifest, the store",
        arguments: [
            ("Plugins", "a directory"), (".", "a directory"), ("manifest.json", "a manifest"),
            (".eaves", "a store"), (".eaves/modules", "a store"),
        ])
    func place(name: String, kind: String) throws {
        let workspace = try Workspace()
        try workspace.expectOthersWork()
        try workspace.setOwner(Self.stranger, of: name)
        let outcome = try workspace.eaves("launch", "users")
        #expect(outcome.code == 77)
        let start =
            "error: \(name): expected \(kind) that belongs to root, found that it belongs to 54321\nfix: "
        #expect(outcome.errors.hasPrefix(start), "\(outcome)")
        #expect(outcome.output == "")
    }

    @Test("a user may load root's files and their own, but not those of a third user")
    func user() throws {
        try #require(Unprivileged.isPossible)
        let workspace = try Workspace()
        for owner: uid_t in [0, 65534] {
            try workspace.setOwner(owner, of: "Plugins/users.so")
            #expect(
                try Unprivileged.eaves("launch", "users", in: workspace.url).output
                    == "1 Alice\n2 Bob\n")
        }
        try workspace.setOwner(Self.stranger, of: "Plugins/users.so")
        let refused = try Unprivileged.eaves("launch", "users", in: workspace.url)
        #expect(refused.code == 77)
        #expect(refused.errors.contains("expected a file that belongs to root or nobody, found"))
    }

    @Test("a group that is the owner's alone may write: that is how many systems set up users")
    func privateGroup() throws {
        let users = try Eaves.shell(
            "awk -F: '$4 == 0 {print $1}' /etc/passwd", in: Repository.folder)
        let others = try Eaves.shell(
            "awk -F: '$3 == 0 {print $1 \":\" $4}' /etc/group", in: Repository.folder)
        let isPrivate = users.lines == ["root"] && others.lines == ["root:"]
        let workspace = try Workspace()
        for name in ["Plugins/users.so", "Plugins", ".", "manifest.json"] {
            try workspace.setOwner(0, group: 0, of: name)
            try workspace.setMode(name.hasSuffix("json") ? 0o664 : 0o775, of: name)
        }
        #expect(try workspace.eaves("launch", "users").code == (isPrivate ? 0 : 77))
    }
}
