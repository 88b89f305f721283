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
