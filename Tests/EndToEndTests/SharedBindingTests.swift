// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesJSON
import EavesTestSupport
import Foundation
import Testing

@testable import EndToEndSupport

/// With these weights, `frank` is one of the tenth, and `alice` is not.
@Suite("modules that share a binding", .onOwnThreads)
struct SharedBindingTests {
    private static let text = """
        {
          "manifest": 1,
          "bindings": {
            "UserService": { "users-v2": 10, "users-memory": 90, "by": "user" },
            "UserService#new": "users-v2"
          }
        }

        """
    private let workspace: Workspace

    init() throws {
        workspace = try Workspace()
        try workspace.manifest(Self.text)
    }

    @Test("are chosen by a value, by the greatest weight, or as it is demanded, for this run")
    func launch() throws {
        let memory = "1 Alice\n2 Bob\n"
        let v2 = "2 Charlie\n"
        let eaves = workspace.eaves
        #expect(try eaves("launch", "users").output == memory)
        #expect(try eaves("launch", "--by", "user=alice", "users").output == memory)
        #expect(try eaves("launch", "--by", "user=frank", "users").output == v2)
        // The one with the greatest weight, as without a value.
        #expect(try eaves("launch", "--by", "user=", "users").output == memory)
        #expect(try eaves("launch", "--by", "team=x", "--by", "user=frank", "users").output == v2)
        #expect(try eaves("launch", "--with", "UserService=users-v2", "users").output == v2)
        let both = ["--by", "user=frank", "--with", "UserService=users-memory", "users"]
        let outcome = try workspace.eaves(["launch"] + both)
        #expect(outcome.output == memory)
        let verbose = try eaves("launch", "-v", "--by", "user=frank", "users")
        #expect(verbose.errors.hasPrefix("UserService: users-v2, chosen by user\n"))
        #expect(try workspace.folder.read("manifest.json") == Self.text)
    }

    @Test(
        "are asked for in a way that is explained",
        arguments: [
            (["--by", "user"], 64, "option '--by' expects KEY=VALUE, found 'user'"),
            (["--by", "=x"], 64, "option '--by' expects KEY=VALUE, found '=x'"),
            (["--by", "a key=x"], 64, "option '--by' expects KEY=VALUE, found 'a key=x'"),
            (
                ["--with", "UserService="], 64,
                "option '--with' expects SERVICE=MODULE, found 'UserService='"
            ),
            (["--with", "users"], 64, "option '--with' expects SERVICE=MODULE, found 'users'"),
            (["--with", "UserService#a=home"], 66, "module 'home' does not provide UserService"),
        ])
    func wrong(arguments: [String], code: Int32, message: String) throws {
        let outcome = try workspace.eaves(["launch"] + arguments + ["users"])
        #expect(outcome.code == code)
        #expect(outcome.errors.hasPrefix("error: \(message)\nfix: "), "\(outcome)")
        #expect(outcome.output == "")
    }

    @Test("are asked about if a key is nearly one of theirs, and any other key is no mistake")
    func unknownKey() throws {
        let near = try workspace.eaves("launch", "--by", "usr=frank", "users")
        #expect(near.code == 0)
        #expect(
            near.errors == """
                warning: no binding of the manifest chooses by 'usr', did you mean 'user'?
                fix: see the keys with 'eaves list'

                """)
        #expect(try workspace.eaves("launch", "--by", "environment=x", "users").errors == "")
    }

    @Test("are listed with their shares, and with the one that is chosen")
    func list() throws {
        let eaves = workspace.eaves
        let bound = "UserService      users-memory 90 %, users-v2 10 %, by user  "
        let lines = try eaves("list").output.split(separator: "\n").suffix(3).map(String.init)
        #expect(
            lines == [
                "SERVICE          BOUND TO                                   CHOSEN",
                bound + "users-memory, without a user",
                "UserService#new  users-v2                                   users-v2",
            ])
        #expect(try eaves("list", "--by", "user=frank").output.contains(bound + "users-v2\n"))
        let printed = try OutputSchema.read(
            eaves("list", "--json", "--by", "user=frank").output, as: "list")
        let users = printed["bindings"]?["UserService"]
        #expect(users?["weights"]?["users-memory"]?.integer == 90)
        #expect(users?["by"]?.string == "user")
        #expect(users?["chosen"]?.string == "users-v2")
        #expect(users?["reason"]?.string == "value")
        #expect(printed["bindings"]?["UserService#new"]?.string == "users-v2")
    }

    @Test("are shown by inspect")
    func inspect() throws {
        let eaves = workspace.eaves
        #expect(
            try eaves("inspect", "users-v2").output.contains(
                "bound:     UserService (10 %, by user, not chosen), UserService named 'new'\n"))
        #expect(
            try eaves("inspect", "--by", "user=frank", "users-v2").output.contains(
                "UserService (10 %, by user, chosen)"))
        let printed = try OutputSchema.read(
            eaves("inspect", "--json", "users-v2").output, as: "inspect")
        #expect(printed["bindings"]?.elements?.map { $0["weight"]?.integer } == [10, nil])
    }

    @Test("lose a module that is removed, and get it back")
    func remove() throws {
        let eaves = workspace.eaves
        try workspace.manifest(
            Self.text.replacing(
                #""manifest": 1,"#, with: #""manifest": 1, "modules": { "users-v2": {} },"#))
        #expect(
            try eaves("remove", "users-v2").errors == """
                removed users-v2
                UserService is shared by users-memory 100 %, by user now
                UserService#new is bound to no module now

                """)
        #expect(try eaves("launch", "--by", "user=frank", "users").output == "1 Alice\n2 Bob\n")
        #expect(
            try eaves("rollback").errors == """
                put back users-v2
                UserService is shared by users-memory 90 %, users-v2 10 %, by user again
                UserService#new is bound to users-v2 again

                """)
        #expect(try eaves("launch", "--by", "user=frank", "users").output == "2 Charlie\n")
    }
}
