// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesTestSupport
import Foundation
import Glibc
import Testing

@testable import EndToEndSupport

@Suite(
    "A canary, and what a live host does with a bad one", .onOwnThreads, .patiently)
struct CanaryTests {
    /// Adds the module that fails.
    private func prepare(
        _ folder: URL, fault: String, isolation: String? = nil
    ) throws {
        let file = folder.appendingPathComponent("manifest.json")
        var manifest =
            try JSONSerialization.jsonObject(with: Data(contentsOf: file)) as? [String: Any] ?? [:]
        var modules = manifest["modules"] as? [String: Any] ?? [:]
        var line: [String: Any] = ["settings": ["fault": fault]]
        line["isolation"] = isolation
        modules["bad-users"] = line
        manifest["modules"] = modules
        try JSONSerialization.data(withJSONObject: manifest).write(to: file)
        try FileManager.default.copyItem(
            at: SwiftFixtures.module("bad-users"),
            to: folder.appendingPathComponent("Plugins/bad-users.so"))
    }

    @Test(
        "is rolled back by itself and kept out, whatever fails", arguments: ["call", "factory"])
    func badCanary(fault: String) throws {
        let application = try ShippedApplication()
        try prepare(application.url, fault: fault)
        let launch = try LiveEaves(
            "launch", "--no-build", "--live", "users", "--watch", in: application.url)
        try launch.wait(for: "1 Alice\n2 Bob\n")
        let swap = try launch.beside("swap", "--canary", "45%", "UserService", "bad-users")
        let shares = "users-memory 55 %, bad-users 45 %, at each call"
        #expect(swap.output + swap.errors == "UserService: users-memory → \(shares)\n")
        #expect(try launch.beside("list").output.contains(shares))
        try launch.wait(for: "UserService: \(shares)\n")
        if fault == "call" { try launch.wait(for: "the bad users are away") }
        try launch.wait(
            for:
                "warning: rolled back UserService: bad-users on probation, and users-memory serves "
                + "again: ")
        let history = try launch.beside("history").output
        #expect(history.contains(/\(rolled back on probation: ([0-9]+) of \1 calls failed/))
        #expect(try launch.beside("launch", "--no-build", "users").output == "1 Alice\n2 Bob\n")
        #expect(try launch.beside("quarantine").output.contains("bad-users"))
        _ = try launch.end(by: SIGINT)
    }

    @Test("is completed by a swap, and undone by a rollback")
    func completing() throws {
        let workspace = try Workspace()
        let shell = try LiveEaves.shellWithUsers(in: workspace.url)
        try shell.type("swap --canary 10% UserService users-v2")
        try shell.wait(for: "UserService: users-memory 90 %, users-v2 10 %, at each call\n")
        try shell.type("launch users", thenWaitFor: "2 Charlie\n")
        try shell.type("launch users", thenWaitFor: "1 Alice\n2 Bob\n")
        try shell.beside("swap", "UserService", "users-v2")
        try shell.wait(for: "UserService: users-v2 serves (was users-memory)\n")
        try shell.beside("rollback", "2")
        try shell.wait(for: "UserService: users-memory serves (was users-v2)\n")
        try shell.beside("swap", "--canary", "10%", "UserService", "users-v2")
        try shell.wait(for: "UserService: users-memory 90 %, users-v2 10 %, at each call\n")
        try shell.beside("rollback")
        try shell.wait(for: "UserService: users-memory has all calls again\n")
        #expect(try shell.finish().code == 0)
    }

    @Test("has a share below a half, and another module that keeps the rest")
    func refusals() throws {
        let workspace = try Workspace()
        let half = try workspace.eaves("swap", "--canary=50%", "UserService", "users-v2")
        #expect(half.code == 64)
        let same = try workspace.eaves("swap", "--canary", "10%", "UserService", "users-memory")
        #expect(same.code == 78)
        #expect(same.errors.contains("is bound to users-memory already"))
    }

    @Test("that crashes in a process of its own is taken back at once, and its host goes on")
    func isolatedCrash() throws {
        let application = try ShippedApplication()
        try prepare(application.url, fault: "crash", isolation: "process")
        let launch = try LiveEaves(
            "launch", "--no-build", "--live", "users", "--watch", in: application.url)
        try launch.wait(for: "1 Alice\n2 Bob\n")
        try launch.beside("swap", "UserService", "bad-users")
        try launch.wait(
            for: "warning: bad-users: its process was ended by SIGSEGV in ",
            "rolled back UserService: bad-users on probation, and users-memory serves again: "
                + "its process was ended by SIGSEGV in ")
        try launch.wait(for: "UserService: users-memory serves (was bad-users)\n")
        #expect(try launch.beside("quarantine").output.contains("bad-users"))
        #expect(try launch.beside("launch", "--no-build", "users").output == "1 Alice\n2 Bob\n")
        #expect(try launch.end(by: SIGINT).signal == SIGINT)
    }
}
