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
}
