// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import Glibc
import Testing

@testable import EavesSystem

@Suite struct AccountsTests {
    @Test("names users and groups, and gives the numbers of those without a name")
    func names() {
        #expect(Accounts.name(ofUser: 0) == "root")
        #expect(Accounts.name(ofGroup: 0) == "root")
        #expect(Accounts.name(ofUser: 3_999_999_999) == "3999999999")
        #expect(Accounts.name(ofGroup: 3_999_999_999) == "3999999999")
        #expect(Accounts.current == geteuid())
    }

    /// Compares the answers with the files of users and groups, for every pair of them.
    @Test("a group is private if it is the user's own, has the user's name and no other members")
    func privateGroups() throws {
        let users = try table("passwd")
        let groups = try table("group")
        for user in users {
            for group in groups {
                let isOwn = user[3] == group[2] && user[0] == group[0]
                let isShared =
                    users.contains { $0[3] == group[2] && $0[2] != user[2] }
                    || group[3].split(separator: ",").contains { $0 != user[0] }
                let (number, owner) = try (
                    #require(UInt32(group[2])), #require(UInt32(user[2]))
                )
                #expect(
                    Accounts.isPrivate(group: number, of: owner) == (isOwn && !isShared),
                    "\(user[0]) \(group[0])")
            }
        }
        #expect(!Accounts.isPrivate(group: 3_999_999_999, of: 3_999_999_999))
    }

    /// The machine may have no group that only differs in its members.
    @Test(
        "a group that has a user's name is not private if its record lists another one",
        arguments: [
            ([], true), (["ada"], true), (["ada", "eve"], false), (["eve"], false),
        ])
    func members(members: [String], isPrivate: Bool) {
        #expect(Accounts.isPrivate("ada", members, of: "ada") == isPrivate)
        #expect(!Accounts.isPrivate("staff", members, of: "ada"))
    }

    private func table(_ name: String) throws -> [[String]] {
        String(decoding: try Files.read("/etc/\(name)"), as: UTF8.self).split(separator: "\n")
            .map {
                $0.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
            }
            .filter { $0.count >= 4 && !$0[0].hasPrefix("#") }
    }
}
