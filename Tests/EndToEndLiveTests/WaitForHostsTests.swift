// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesTestSupport
import Foundation
import Glibc
import Testing

@testable import EndToEndSupport

@Suite("--wait, for running hosts", .onOwnThreads, .patiently)
struct WaitForHostsTests {
    private let workspace: Workspace

    init() throws {
        workspace = try Workspace()
    }

    /// A shell that has users of `users-memory`.
    private func shell() throws -> LiveEaves { try .shellWithUsers(in: workspace.url) }

    @Test("ends at once where no host runs")
    func nobody() throws {
        let swap = try workspace.eaves("swap", "--wait", "UserService", "users-v2")
        #expect(swap.code == 0)
        #expect(
            swap.errors
                == "UserService: users-memory → users-v2\nno running host follows this manifest\n")
        #expect(try workspace.eaves("rollback", "--wait", "1").code == 0)
    }

    @Test("ends when the host has taken the change on, whatever the change is")
    func takenOn() throws {
        let shell = try shell()
        for words in [
            ["swap", "--wait", "UserService", "users-v2"], ["rollback", "--wait=60"],
            ["disable", "--wait", "home"], ["enable", "--wait", "home"],
        ] {
            let outcome = try workspace.eaves(words)
            #expect(outcome.code == 0, "\(outcome)")
            #expect(outcome.errors.hasSuffix("\n1 running host has taken it on\n"), "\(outcome)")
        }
        // The host has told of it before.
        try shell.wait(for: "UserService: users-v2 serves (was users-memory)\n")
        try shell.wait(for: "UserService: users-memory serves (was users-v2)\n")
        #expect(try shell.finish().code == 0)
    }

    @Test("fails as the host does, which is shown by 'list' and 'generations' afterwards, too")
    func refused() throws {
        try workspace.drop(SwiftFixtures.module("kept-services"))
        let shell = try shell()
        #expect(try workspace.eaves("swap", "--wait", "UserService", "users-v2").code == 0)
        let refusal =
            "shell, has not taken it on: UserService cannot go to 'kept-services' yet: "
            + "'users-v2' is on probation there"
        let third = try workspace.eaves("swap", "--wait", "UserService", "kept-services")
        #expect(third.code == 78)
        #expect(
            third.output == "" && third.errors.contains("\nerror: process \(shell.process), "),
            "\(third)")
        #expect(third.errors.contains(refusal), "\(third)")
        // The same once more fails for the same reason, although that was there before.
        let again = try workspace.eaves("swap", "--wait", "UserService", "kept-services")
        #expect(again.code == 78 && again.errors.contains(refusal), "\(again)")
        let list = try workspace.eaves("list")
        #expect(list.code == 0 && list.errors.contains("warning: process "), "\(list)")
        #expect(list.errors.contains(refusal), "\(list)")
        let generations = try workspace.eaves("generations").output
        #expect(
            generations.contains("\nnot taken on: UserService cannot go to 'kept-services' yet"))
        #expect(
            generations.contains(" of users-v2, for UserService: 0 of 0 calls failed\n"),
            "\(generations)")
        // A change about something else is not to blame.
        #expect(try workspace.eaves("disable", "--wait", "home").code == 0)
        #expect(try workspace.eaves("rollback", "--wait", "2").code == 0)
        #expect(try !workspace.eaves("generations").output.contains("not taken on"))
        #expect(try shell.finish().code == 0)
    }

    @Test("fails if a host ends with it, and the next process takes the binding back")
    func ended() throws {
        try workspace.drop(SwiftFixtures.module("misbehaves"))
        try workspace.manifest(
            #"""
            { "manifest": 1, "bindings": { "UserService": "users-memory" },
              "modules": { "misbehaves": { "settings": { "register": "exit" } } } }
            """#)
        let shell = try shell()
        let swap = try workspace.eaves("swap", "--wait", "UserService", "misbehaves")
        #expect(swap.code == 70, "\(swap)")
        #expect(swap.errors.contains("error: process \(shell.process), "), "\(swap)")
        #expect(
            swap.errors.contains(" shell, has ended, and may have crashed with it\n"), "\(swap)")
        #expect(try shell.ending().code == 70)
        let next = try workspace.eaves("launch", "users")
        #expect(next.output == "1 Alice\n2 Bob\n", "\(next)")
        #expect(
            next.errors.contains(
                "rolled back UserService: misbehaves on probation, and users-memory serves again"),
            "\(next)")
    }

    @Test("fails when the time is over, and says which process has not answered")
    func late() throws {
        let shell = try shell()
        try shell.halt()
        let outcome = try workspace.eaves("swap", "--wait=0", "UserService", "users-v2")
        shell.signal(SIGCONT)
        #expect(outcome.code == 75)
        #expect(
            outcome.errors.contains(
                "error: process \(shell.process) has not taken it on within 0.0 seconds\n"),
            "\(outcome)")
        try shell.wait(for: "UserService: users-v2 serves (was users-memory)\n")
        #expect(try shell.finish().code == 0)
    }

    @Test("expects seconds", arguments: ["x", "-1", "1e9", "nan"])
    func usage(seconds: String) throws {
        let outcome = try workspace.eaves("swap", "--wait=\(seconds)", "UserService", "users-v2")
        #expect(outcome.code == 64)
        #expect(
            outcome.errors.hasPrefix(
                "error: option '--wait' expects seconds, from 0 to 86400, found "))
        #expect(try workspace.eaves("history").output == "no changes to undo\n")
    }
}
