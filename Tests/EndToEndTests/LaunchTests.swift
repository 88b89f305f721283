// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesTestSupport
import Foundation
import Testing

@testable import EndToEndSupport

@Suite("eaves launch", .onOwnThreads)
struct LaunchTests {
    @Test("without a feature, runs the one of the manifest, with the module of its service")
    func users() throws {
        let outcome = try Workspace().eaves("launch")
        #expect(outcome.output == "1 Alice\n2 Bob\n")
        #expect(outcome.errors == "")
        #expect(outcome.code == 0)
    }

    @Test("loads only the modules that the feature needs; -v shows their order")
    func verbose() throws {
        let outcome = try Workspace().eaves("launch", "-v", "users")
        let loaded = outcome.errors.split(separator: "\n").map { $0.prefix { $0 != "." } }
        #expect(
            loaded == ["loaded 1: common 1", "loaded 2: users 1", "loaded 3: users-memory 1"])
        #expect(outcome.errors.contains(" ms (Plugins/users.so)"))
    }

    @Test("goes from the login to the home screen, and records the event")
    func login() throws {
        let workspace = try Workspace()
        let outcome = try workspace.eaves("launch", "login", "--name", "Alice")
        #expect(outcome.output == "Welcome home, Alice!\n")
        #expect(outcome.code == 0)
        let events = try workspace.folder.read("events.jsonl")
        #expect(events.contains(#""event":"login.succeeded","attributes":{"name":"Alice"}}"#))
    }

    @Test("exits with the feature's own exit code")
    func exitCode() throws {
        let outcome = try Workspace().eaves("launch", "login", "--name", "Mallory")
        #expect(outcome.code == 1)
        #expect(outcome.errors == "login: There is no user named 'Mallory'.\n")
    }

    @Test("arguments that the feature cannot use are a usage error")
    func usage() throws {
        let outcome = try Workspace().eaves("launch", "login")
        #expect(outcome.code == 64)
        #expect(
            outcome.errors == "error: there is no name to log in with\nfix: give '--name NAME'\n")
    }

    @Test("finds the manifest from a folder below it, and where --manifest says")
    func manifestSearch() throws {
        let workspace = try Workspace()
        let below = workspace.url.appendingPathComponent("a/b")
        try FileManager.default.createDirectory(at: below, withIntermediateDirectories: true)
        #expect(try Eaves(folder: below)("launch", "users").code == 0)
        let elsewhere = Eaves(folder: URL(fileURLWithPath: "/"))
        let manifest = workspace.url.appendingPathComponent("manifest.json").path
        #expect(try elsewhere("launch", "--manifest", manifest, "users").code == 0)
        #expect(try elsewhere("--manifest", manifest, "launch", "users").code == 0)
        let lost = try elsewhere("launch", "users")
        #expect(lost.code == 66)
        #expect(lost.errors.hasPrefix("error: no manifest.json in / or any folder above it\nfix: "))
    }

    @Test("builds what it needs where modules come as sources, and no other module")
    func builds() throws {
        let workspace = try Workspace(sources: true)
        let first = try workspace.eaves("launch", "users")
        #expect(first.output == "1 Alice\n2 Bob\n")
        #expect(first.code == 0)
        let built = try FileManager.default.contentsOfDirectory(atPath: workspace.plugins.path)
            .filter { $0.hasSuffix(".so") }.sorted()
        #expect(built == ["common.so", "users-memory.so", "users.so"])
        let second = try workspace.eaves("launch", "users")
        #expect(second.errors == "")
        // A screen that only a route leads to is built when the route is taken.
        #expect(try workspace.eaves("launch", "login", "--name", "Bob").output.contains("Bob"))
        try workspace.folder.write(
            """
            import CommonInterface
            import EavesInterface
            enum UsersMemoryModule: Module {
                static func register(in registrar: any Registrar) {
                    registrar.register((any UserService).self) { _ in Dora() }
                }
            }
            struct Dora: UserService {
                func users() async throws -> [User] { [User(id: 3, name: "Dora")] }
            }
            """, to: "Plugins/UsersMemory/UsersMemoryModule.swift")
        #expect(try workspace.eaves("launch", "--no-build", "users").output == "1 Alice\n2 Bob\n")
        #expect(try workspace.eaves("launch", "users").output == "3 Dora\n")
    }

    @Test(
        "runs from copies in memory where no file of the store can be mapped as code",
        .enabled(if: geteuid() == 0, "needs root"))
    func noExecution() throws {
        let workspace = try Workspace()
        let outcome = try Eaves.shell(
            """
            mkdir -m 700 .eaves && exec unshare -m sh -c \
                'mount -t tmpfs -o noexec,mode=700 none .eaves 2>/dev/null || exit 99; exec eaves launch users'
            """, in: workspace.url)
        if outcome.code == 99 { try Test.cancel("needs the right to mount") }
        #expect(outcome.output == "1 Alice\n2 Bob\n", "\(outcome)")
    }
}
