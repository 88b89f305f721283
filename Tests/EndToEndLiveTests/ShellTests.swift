// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesTestSupport
import Foundation
import Glibc
import Testing

@testable import EndToEndSupport

@Suite("eaves shell, from a pipe", .onOwnThreads, .patiently)
struct ShellTests {
    @Test("takes commands as the command line does, and ends with quit")
    func commands() throws {
        let workspace = try Workspace()
        let listed = try workspace.eaves("list")
        let inspected = try workspace.eaves("inspect", "users")
        let outcome = try workspace.eaves(
            "shell",
            input: """
                list
                inspect users
                launch users
                swap UserService users-v2
                launch users
                launch
                rollback
                launch
                disable home
                enable home
                launch login --name 'B'"ob"
                # a comment, and an empty line

                quit
                launch users

                """)
        #expect(
            outcome.output == listed.output + inspected.output + """
                1 Alice
                2 Bob
                2 Charlie
                2 Charlie
                1 Alice
                2 Bob
                Welcome home, Bob!

                """)
        #expect(
            outcome.errors == """
                UserService: users-memory → users-v2
                UserService: users-v2 serves (was users-memory)
                UserService: users-v2 → users-memory
                UserService: users-memory serves (was users-v2)
                disabled home
                enabled home

                """)
        #expect(outcome.code == 0)
    }

    @Test("shows history, generations and help, for people and as JSON")
    func reports() throws {
        let workspace = try Workspace()
        try workspace.eaves("swap", "UserService", "users-v2")
        let outcome = try workspace.eaves(
            "shell", input: "generations\nlaunch users\ngenerations\nhistory\nhelp\nhelp swap\n")
        #expect(outcome.lines.first == "no module is loaded")
        #expect(outcome.lines.contains("GENERATION  MODULE    VERSION  STATE    INSTANCES"))
        #expect(outcome.lines.contains { $0.hasSuffix("  users-v2  2.0.0    serving  -") })
        #expect(outcome.lines.contains { $0.hasSuffix("  UserService: users-memory → users-v2") })
        #expect(outcome.output.contains("\n  quit  "))
        #expect(outcome.output.contains("usage: swap [OPTION…] SERVICE MODULE\n"))
        #expect(!outcome.output.contains("--manifest"))
        try OutputSchema.read(
            workspace.eaves("shell", input: "launch users\ngenerations --json\n").output
                .replacingOccurrences(of: "2 Charlie\n", with: ""), as: "generations")
        try OutputSchema.read(workspace.eaves("history", "--json").output, as: "history")
        try workspace.eaves("remove", "users-v2")
        try OutputSchema.read(
            workspace.eaves("shell", input: "history --json\n").output, as: "history")
    }

    @Test("goes on after an error, and ends with the code of the last command")
    func errors() throws {
        let workspace = try Workspace()
        let outcome = try workspace.eaves(
            "shell",
            input: """
                lst
                users
                launch 'us
                swap UserService home
                launch nothing
                list --jsn

                """)
        #expect(
            outcome.errors == """
                error: unknown command 'lst', did you mean 'list'?
                fix: see all commands with 'help'
                error: unknown command 'users': it is the name of a feature
                fix: run it with 'launch users'
                error: a quotation does not end: expected a further ', found the end of 'launch 'us'
                fix: close it, or write \\' for the character itself
                error: module 'home' does not provide UserService
                fix: choose users-memory or users-v2
                error: no module offers a feature 'nothing'
                fix: see all features with 'eaves list'
                error: unknown option '--jsn', did you mean '--json'?
                fix: see the options with '--help'

                """)
        #expect(outcome.code == 64)
        #expect(try workspace.eaves("shell", input: "launch nothing\nlaunch users\n").code == 0)
        #expect(try workspace.eaves("shell", input: "launch nothing\nquit\n").code == 66)
        #expect(try workspace.eaves("shell").code == 0)
    }

    @Test("gives the feature that runs the next lines")
    func input() throws {
        let workspace = try Workspace()
        try workspace.drop(SwiftFixtures.module("waits-for-line"))
        let outcome = try workspace.eaves(
            "shell", input: "launch wait a\nthis line is the feature's\nlaunch users\n")
        #expect(
            outcome.output
                == "Alice, Bob\nwaiting\nAlice, Bob\nfar away: a=1\n1 Alice\n2 Bob\n")
        #expect(outcome.errors == "")
        #expect(outcome.code == 0)
    }

    @Test("ends with 128 and the number of a signal", arguments: [SIGINT, SIGTERM, SIGHUP])
    func signals(number: Int32) throws {
        let workspace = try Workspace()
        let shell = try LiveEaves.shellWithUsers(in: workspace.url)
        let ending = try shell.end(by: number)
        #expect(ending.signal == nil)
        #expect(ending.code == 128 + number)
        #expect(shell.seen == "1 Alice\n2 Bob\n")
    }

    @Test("ends with a signal also while a feature waits")
    func signalInFeature() throws {
        let workspace = try Workspace()
        try workspace.drop(SwiftFixtures.module("waits-for-line"))
        let shell = try LiveEaves("shell", in: workspace.url)
        try shell.type("launch wait", thenWaitFor: "Bob\n")
        #expect(try shell.end(by: SIGTERM).code == 128 + SIGTERM)
    }

    @Test("ends when nobody reads its output any more")
    func closed() throws {
        let workspace = try Workspace()
        let outcome = try Eaves.shell(
            "(while echo list; do :; done) 2> errors | (eaves shell; echo $? > code) | head -n 1",
            in: workspace.url)
        #expect(outcome.errors == "")
        #expect(try workspace.folder.read("code") == "74\n")
    }
}
