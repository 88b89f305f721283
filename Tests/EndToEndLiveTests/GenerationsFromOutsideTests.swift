// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesJSON
import EavesTestSupport
import Foundation
import Glibc
import Testing

@testable import EndToEndSupport

@Suite("eaves generations, in another terminal", .onOwnThreads, .patiently)
struct GenerationsFromOutsideTests {
    private let workspace: Workspace

    init() throws {
        workspace = try Workspace()
    }

    @Test("says that no host runs, before the first one and after the last")
    func none() throws {
        let outcome = try workspace.eaves("generations")
        #expect(outcome.output == "no running host follows this manifest\n")
        #expect(outcome.errors == "")
        #expect(outcome.code == 0)
        let shell = try LiveEaves.shellWithUsers(in: workspace.url)
        #expect(try workspace.generations()["hosts"]?.elements?.count == 1)
        shell.signal(SIGKILL)
        _ = try shell.finish()
        #expect(try workspace.generations()["hosts"]?.elements?.isEmpty == true)
        let sockets = workspace.url.appendingPathComponent(".eaves/hosts").path
        #expect(try FileManager.default.contentsOfDirectory(atPath: sockets) == [])
    }

    @Test("shows what each host has loaded, and names one that was stopped")
    func several() throws {
        let shell = try LiveEaves.shellWithUsers(in: workspace.url)
        let launch = try LiveEaves("shell", "--with", "UserService=users-v2", in: workspace.url)
        try launch.type("launch users", thenWaitFor: "2 Charlie")
        let outcome = try workspace.eaves("generations")
        #expect(outcome.lines.filter { $0.contains(" shell, since ") }.count == 1)
        #expect(
            outcome.lines.filter { $0.contains("--with UserService=users-v2, since ") }.count == 1)
        #expect(outcome.lines.filter { $0.contains("  users-memory  1.0.0") }.count == 1)
        #expect(outcome.lines.filter { $0.contains("  users-v2  2.0.0") }.count == 1)
        try launch.halt()
        let others = try workspace.eaves("generations")
        #expect(others.errors.contains("does not answer\nfix: let it go on"), "\(others)")
        #expect(others.lines.filter { $0.contains(" shell, since ") }.count == 1)
        #expect(try workspace.generations()["hosts"]?.elements?.count == 2)
        launch.signal(SIGCONT)
        _ = try (shell.finish(), launch.finish())
    }

    @Test("shows a host whose store was removed, once more")
    func removedStore() throws {
        let shell = try LiveEaves.shellWithUsers(in: workspace.url)
        for _ in 0..<2 {
            // The host may be about to write something there.
            try Patience.wait(for: "the end of the store") {
                try Eaves.shell("rm -rf .eaves", in: workspace.url).code == 0
            }
            try Patience.wait(for: "the host in the new store") {
                try workspace.generations()["hosts"]?.elements?.count == 1
            }
        }
        _ = try shell.finish()
        let sockets = workspace.url.appendingPathComponent(".eaves/hosts").path
        #expect(try FileManager.default.contentsOfDirectory(atPath: sockets) == [])
    }
}
