// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesSystem
import EavesTestSupport
import Foundation
import Testing

@testable import EndToEndSupport

@Suite("eaves launch", .onOwnThreads)
struct LaunchTests {
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

    @Test("checks a copy once, and again when the manifest, a module or the copy is another")
    func checksOnce() throws {
        let workspace = try Workspace(modules: ["users", "users-memory"])
        let modules = workspace.url.appendingPathComponent(".eaves/modules").path
        func notes() throws -> [String: String] {
            let names = try FileManager.default.contentsOfDirectory(atPath: modules).filter {
                $0.hasPrefix(".")
            }
            let targets = try names.map { ($0, try Files.target(ofLink: modules + "/" + $0)) }
            return Dictionary(uniqueKeysWithValues: targets)
        }
        func launch() throws {
            #expect(try workspace.eaves("launch", "users").output == "1 Alice\n2 Bob\n")
            // A file that a launch has just made could change again unseen.
            try workspace.folder.settle(".eaves/modules")
        }
        try launch()
        try workspace.folder.settle()
        for _ in 0..<2 { try launch() }
        let first = try notes()
        #expect(
            first.keys.map { $0.prefix { $0 != "@" } }.sorted() == [
                ".common", ".users", ".users-memory",
            ])
        #expect(first.first { $0.key.hasPrefix(".common@") }?.value.hasSuffix("Mp") == true)
        try launch()
        #expect(try notes() == first)
        // Where each launch has to look at the bytes, no note is written, and none is asked.
        let file = workspace.plugins.appendingPathComponent("users-memory.so").path
        let digest = SHA256.digest(of: try Files.read(file)).hex
        for (key, value) in first {
            try FileManager.default.removeItem(atPath: modules + "/" + key)
            #expect(!value.isEmpty)
        }
        try workspace.folder.write(
            #"{ "manifest": 1, "bindings": { "UserService": "users-memory" }, "modules": { "users-memory": { "sha256": "\#(digest)" } } }"#,
            to: "manifest.json")
        for _ in 0..<3 { try launch() }
        #expect(
            try notes().keys.allSatisfy { !$0.hasPrefix(".users-memory@") } && notes().count == 2)
    }

    @Test("runs a feature where tasks run, and loads no library for nothing")
    func process() throws {
        let workspace = try Workspace()
        try workspace.drop(CFixtures.module("TellsOfProcess"), as: "tells-of-process.so")
        let outcome = try workspace.eaves("launch", "process")
        #expect(
            outcome.lines == [
                "first thread: 0", "libswiftCore: 1", "libswift_RegexParser: 0",
                "libswift_StringProcessing: 0", "libswiftDispatch: 0", "libFoundation: 0",
            ])
        #expect(outcome.errors == "")
        #expect(outcome.code == 0)
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
