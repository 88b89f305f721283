// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesTestSupport
import Foundation
import Glibc
import Testing

@testable import EndToEndSupport

@Suite("eaves shell, while the disk changes", .onOwnThreads, .patiently)
struct ShellFollowingTests {
    private let workspace: Workspace
    private let shell: LiveEaves

    /// A shell that has loaded the users.
    init() throws {
        workspace = try Workspace()
        shell = try LiveEaves("shell", in: workspace.url)
        try expectUsers("1 Alice\n2 Bob\n")
    }

    private func expectUsers(_ users: String) throws {
        try shell.type("launch users", thenWaitFor: users)
    }

    @Test(
        "refuses what is no module with the words of a listing, also an interface",
        arguments: ["users-memory", "common"])
    func noModule(id: String) throws {
        let command = "echo no module > new && mv new Plugins/\(id).so"
        #expect(try Eaves.shell(command, in: workspace.url).code == 0)
        try shell.wait(for: "warning: ")
        let listed = try workspace.eaves("list").errors.split(separator: "\n")
        let words = try #require(listed.first { $0.contains("warning: \(id): expected a shared") })
        try shell.wait(for: words.dropFirst("warning: ".count) + "\n")
        try expectUsers("1 Alice\n2 Bob\n")
        #expect(try shell.finish().code == 0)
        #expect(!shell.seen.contains("provide") && !shell.seen.contains("exchange an interface"))
    }
}

@Suite("eaves launch --live", .onOwnThreads, .patiently)
struct LaunchLiveTests {
    @Test(
        "looks every second where the system watches no more files, and warns once",
        .enabled(if: Eaves.canLimit, "needs root, and the right to make a namespace"),
        arguments: ["watches", "instances"])
    func unwatched(limit: String) throws {
        let application = try ShippedApplication()
        let line =
            "echo 0 > /proc/sys/user/max_inotify_\(limit) && exec eaves launch --live users --watch"
        let path = "\(Repository.programs):/usr/bin:/bin"
        let launch = try LiveEaves(
            ["-Ur", "sh", "-c", line], program: URL(fileURLWithPath: "/usr/bin/unshare"),
            in: application.url, environment: ["PATH": path])
        try launch.wait(for: "1 Alice\n2 Bob\n", "warning: looks every second for changes: ")
        try launch.beside("swap", "UserService", "users-v2")
        try launch.wait(for: "\n2 Charlie\n")
        try launch.restart()
        try launch.beside("rollback")
        try launch.wait(for: "\n1 Alice\n2 Bob\n")
        #expect(try launch.end(by: SIGINT).signal == SIGINT)
        // Each of the two processes.
        #expect(launch.seen.components(separatedBy: "looks every second").count == 3)
    }

    @Test("without it, a launch keeps what it began with")
    func notLive() throws {
        let workspace = try Workspace()
        try workspace.drop(SwiftFixtures.module("waits-for-line"))
        for (option, users) in [("--no-build", "Alice, Bob"), ("--live", "Charlie")] {
            try workspace.eaves("swap", "UserService", "users-memory")
            let launch = try LiveEaves("launch", option, "wait", in: workspace.url)
            try launch.wait(for: "Alice, Bob\nwaiting\n")
            try launch.beside("swap", "UserService", "users-v2")
            if option == "--live" { try launch.wait(for: "UserService: users-v2 serves") }
            try launch.type("go on", thenWaitFor: "\(users)\nfar away")
            #expect(try launch.finish().code == 0)
        }
    }
}
