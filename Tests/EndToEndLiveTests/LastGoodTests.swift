// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesJSON
import EavesTestSupport
import Foundation
import Glibc
import Testing

@testable import EndToEndSupport

@Suite("A module whose new file has crashed on probation", .onOwnThreads, .patiently)
struct LastGoodTests {
    /// Lets a shell swap in a file of `users-memory` that aborts, and call it. The file before was loaded from the disk.
    ///
    /// - Parameter prepare: Is called before the file comes.
    private func crash(in workspace: Workspace, _ prepare: () throws -> Void = {}) throws {
        // Swift's own backtrace takes seconds.
        let shell = try LiveEaves(
            "shell", in: workspace.url, environment: ["SWIFT_BACKTRACE": "enable=no"])
        try shell.type("launch users", thenWaitFor: "1 Alice\n2 Bob\n")
        try prepare()
        try workspace.replace("users-memory.so", with: LiveCrashTests.file("aborts"))
        try shell.wait(for: "swapped users-memory: generation ")
        // The host has kept the good file by then.
        try Patience.wait(for: "the trial") {
            workspace.folder.has(".eaves/quarantine/probation.json")
        }
        try shell.type("launch users")
        #expect(try shell.ending().signal == SIGABRT)
    }

    private static let reason = "crashed on probation, with SIGABRT"
    private static let words =
        "(Plugins/users-memory.so); the last good file takes its place: version 1.0.0, kept since 2"

    @Test("is used with its last good file by whoever starts later, and all say so")
    func used() throws {
        let workspace = try Workspace()
        try crash(in: workspace)
        let launch = try workspace.eaves("launch", "users")
        #expect(launch.code == 0 && launch.output == "1 Alice\n2 Bob\n", "\(launch)")
        #expect(launch.errors.hasPrefix("warning: users-memory: quarantined since "), "\(launch)")
        #expect(launch.errors.contains("\(Self.reason) \(Self.words)"), "\(launch)")
        #expect(launch.errors.contains("\nfix: "), "\(launch)")

        let list = try workspace.eaves("list")
        #expect(list.code == 0 && list.errors.contains("\(Self.reason) \(Self.words)"), "\(list)")
        let listed = try #require(workspace.list().modules.first { $0.id == "users-memory" })
        #expect(listed.state == "ready")
        #expect(listed.problem?.contains("\(Self.reason) \(Self.words)") == true)

        let inspected = try workspace.eaves("inspect", "users-memory")
        #expect(inspected.code == 0, "\(inspected)")
        #expect(inspected.lines.contains("state:     ready"), "\(inspected)")
        #expect(
            inspected.lines.contains { $0.hasPrefix("loaded:    .eaves/good/users-memory@") },
            "\(inspected)")
        let quarantine = try workspace.eaves("quarantine")
        #expect(quarantine.output.contains(Self.reason), "\(quarantine)")
        #expect(quarantine.output.contains("quarantined"), "\(quarantine)")
        // A pin means the file itself.
        let pinned = try workspace.eaves("pin", "users-memory")
        #expect(pinned.code != 0 && pinned.errors.contains("quarantined since"), "\(pinned)")
    }

    @Test("goes back to its last good file by hand, in a running host, too, and forth again")
    func byHand() throws {
        let other = try BuiltProject.sample(
            "last-good-other", only: ["users-memory"],
            edits: [.init("UsersMemory/UsersMemoryModule.swift", "Alice", "Carol")])
        let workspace = try Workspace()
        let shell = try LiveEaves.shellWithUsers(in: workspace.url)
        try workspace.eaves("rollback", "users-memory").expectFailure(
            66,
            """
            error: no earlier file of 'users-memory' is kept that hosts could load in the place of its file
            fix: put an earlier file into its place; a host that stays up keeps the one that a new file replaces
            """)
        try workspace.replace(
            "users-memory.so", with: URL(fileURLWithPath: other.file("users-memory")))
        try shell.wait(for: "swapped users-memory: generation ")
        try shell.type("launch users", thenWaitFor: "1 Carol\n2 Bob\n")
        try Patience.wait(for: "the copy") {
            workspace.folder.has(".eaves/quarantine/probation.json")
        }

        let words = "users-memory: the last good file takes its place: version 1.0.0, kept since "
        let done = try workspace.eaves("rollback", "users-memory")
        #expect(done.code == 0 && done.errors.hasPrefix(words), "\(done)")
        try shell.wait(for: "swapped users-memory: generation ")
        try shell.type("launch users", thenWaitFor: "1 Alice\n2 Bob\n")
        #expect(try workspace.eaves("launch", "users").output == "1 Alice\n2 Bob\n")
        let quarantine = try workspace.eaves("quarantine").output
        #expect(quarantine.contains("rolled back by hand"), "\(quarantine)")
        let history = try workspace.eaves("history").output
        #expect(
            history.contains(
                "  the file of users-memory is kept out, and the last good one, version 1.0.0, takes its "
                    + "place (rolled back by hand)\n"), "\(history)")
        let json = try workspace.eaves("history", "--json").output
        let files = try OutputSchema.read(json, as: "history")["files"]?.elements
        #expect(files?.map { $0["module"]?.string } == ["users-memory"])
        #expect(files?.first?["lastGood"]?.string == "1.0.0")
        let again = try workspace.eaves("rollback", "users-memory")
        #expect(
            again.code == 0 && again.errors.hasSuffix("UTC, since it is kept out\n"), "\(again)")

        #expect(try workspace.eaves("quarantine", "clear", "users-memory").code == 0)
        try shell.wait(for: "swapped users-memory: generation ")
        try shell.type("launch users", thenWaitFor: "1 Carol\n2 Bob\n")
        #expect(try shell.finish().code == 0)
    }

    @Test(
        "is not used without a signature that counts",
        .enabled(if: SigningFixture.isPossible, "needs OpenSSH's 'ssh-keygen'"))
    func signed() throws {
        let fixture = try SigningFixture()
        let workspace = fixture.workspace
        try fixture.sign("users", "users-memory")
        try crash(in: workspace) {
            // The signature comes first: the host looks for it with the file.
            try workspace.drop(LiveCrashTests.file("aborts"), as: ".signed")
            try fixture.sign("Plugins/.signed")
            try workspace.replace(
                "users-memory.so.sig",
                with: workspace.url.appendingPathComponent("Plugins/.signed.sig"))
        }
        let launch = try workspace.eaves("launch", "users")
        #expect(launch.code == 0 && launch.output == "1 Alice\n2 Bob\n", "\(launch)")
        // Its signature was that of the file before, so another key does not do.
        try fixture.allow("alice@example.com", fixture.anotherKey())
        try fixture.sign("common")
        let refused = try workspace.eaves("launch", "users")
        #expect(refused.code == 77, "\(refused)")
    }
}
