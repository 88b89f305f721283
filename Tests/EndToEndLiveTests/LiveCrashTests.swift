// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesSystem
import EavesTestSupport
import Foundation
import Glibc
import Testing

@testable import EndToEndSupport

@Suite("a crash in a host that stays up", .onOwnThreads, .patiently)
struct LiveCrashTests {
    private static let rest = """
        _ = write(1, "begun\\n", 6)
        while access("go", F_OK) != 0 { usleep(1000) }
        """
    /// The first lines of `users()` in four builds of `users-memory`.
    private static let bodies = [
        "well": "", "aborts": "abort()", "rests": rest, "waits": rest + "\nabort()",
    ]
    /// The first lines of its `register(in:)`.
    private static let registrations = [
        "abortsEarly": "abort()", "exitsEarly": "exit(3)",
        "exitsInStart": "registrar.lifecycle(Ending())",
    ]

    /// A build of `users-memory`.
    static func file(_ build: String) throws -> URL {
        let source = "UsersMemory/UsersMemoryModule.swift"
        let call = "func users() async throws -> [User] {\n"
        let module = "enum UsersMemoryModule: Module {\n"
        let ending =
            "struct Ending: Lifecycle { func start(_ resolver: any Resolver) { exit(5) } }\n"
        let entry = "static func register(in registrar: any Registrar) {\n"
        let project = try BuiltProject.sample(
            "crash-\(build)", only: ["users-memory"],
            edits: [
                .init(source, "import EavesInterface\n", "import EavesInterface\nimport Glibc\n"),
                .init(source, call, call + (bodies[build] ?? "") + "\n"),
                .init(source, "[User(", "return [User("),
                .init(source, module, ending + module),
                .init(source, entry, entry + (registrations[build] ?? "") + "\n"),
            ])
        return URL(fileURLWithPath: project.file("users-memory"))
    }

    private let workspace: Workspace

    init() throws {
        workspace = try Workspace(modules: ["users"])
    }

    /// Puts a build in place in one step.
    private func place(_ build: String) throws {
        try workspace.replace("users-memory.so", with: Self.file(build))
    }

    private func shell() throws -> LiveEaves {
        // Swift's own backtrace takes seconds.
        try LiveEaves("shell", in: workspace.url, environment: ["SWIFT_BACKTRACE": "enable=no"])
    }

    /// Waits for a swap, and returns the number of the generation that serves, and of the one before.
    private func swapped(_ shell: LiveEaves) throws -> (Int, Int) {
        try shell.wait(for: "swapped users-memory: generation ")
        try shell.wait(for: ")\n")
        let line = try #require(
            shell.seen.split(separator: "\n").last { $0.hasPrefix("swapped users-memory") })
        let numbers = line.split { !$0.isNumber }.compactMap { Int($0) }
        return (try #require(numbers.first), try #require(numbers.last))
    }

    private func digest(_ build: String) throws -> String {
        try SHA256.digest(of: Files.read(Self.file(build).path)).hex
    }

    @Test("names the second generation, and counts its content, whatever the file is by then")
    func secondGeneration() throws {
        try place("well")
        let shell = try shell()
        try shell.type("launch users", thenWaitFor: "1 Alice\n2 Bob\n")
        try place("aborts")
        let (new, _) = try swapped(shell)
        try shell.type("launch users")
        let words = "crashed with SIGABRT in the launch of 'users' (Plugins/users-memory.so)\n"
        try shell.wait(for: "error: users-memory: generation \(new) \(words)")
        #expect(try shell.ending().signal == SIGABRT)
        try place("well")
        let module = try #require(try workspace.crashed().first)
        #expect(module.id == "users-memory" && !module.quarantined)
        #expect(module.sha256 == (try digest("aborts")))
        #expect(module.crashes.map(\.generation) == [new])
        #expect(module.crashes.map(\.feature) == ["users"])
        #expect(module.crashes.map(\.signalName) == ["SIGABRT"])
        #expect(try workspace.eaves("launch", "users").output == "1 Alice\n2 Bob\n")
    }

    @Test(
        "takes a file back that ends its process as it registers or starts, after the first time",
        arguments: ["abortsEarly", "exitsEarly", "exitsInStart"])
    func firstRun(build: String) throws {
        try place("well")
        let shell = try shell()
        try shell.type("launch users", thenWaitFor: "1 Alice\n2 Bob\n")
        try place(build)
        let ending = try shell.ending()
        #expect(build == "abortsEarly" ? ending.signal == SIGABRT : ending.code == 70)
        let launch = try workspace.eaves("launch", "users")
        #expect(launch.output == "1 Alice\n2 Bob\n", "\(launch)")
        #expect(launch.errors.contains("crashed on probation, with "), "\(launch)")
        #expect(launch.errors.contains("the last good file takes its place"), "\(launch)")
    }

    @Test("goes on with the good file after a new one has called exit, where a process waits")
    func exitOfLiveHost() throws {
        try place("rests")
        let launch = try LiveEaves("launch", "--live", "users", in: workspace.url)
        try launch.wait(for: "begun\n")
        try place("exitsEarly")
        try launch.wait(
            for: "ended the process with exit code 3 while it registered",
            "the last good file takes its place", "begun\n")
        try workspace.folder.write("", to: "go")
        try launch.wait(for: "1 Alice\n2 Bob\n")
        #expect(try launch.ending().code == 0)
    }

    @Test("names the first generation when a call that was under way crashes after a swap")
    func firstGeneration() throws {
        try place("waits")
        let launch = try LiveEaves(
            "launch", "--live", "users", in: workspace.url,
            environment: ["SWIFT_BACKTRACE": "enable=no"])
        try launch.wait(for: "begun\n")
        try place("well")
        let (new, old) = try swapped(launch)
        #expect(old < new)
        try workspace.folder.write("", to: "go")
        try launch.wait(for: "error: users-memory: generation \(old) crashed with SIGABRT")
        // The file is another one by now.
        try launch.wait(for: "was ended by SIGABRT\n", "1 Alice\n2 Bob\n")
        #expect(try launch.ending().code == 0)
        let module = try #require(try workspace.crashed().first)
        #expect(module.sha256 == (try digest("waits")))
        #expect(module.crashes.map(\.generation) == [old])
    }

    @Test("names the generation that serves, though its code was refused with other settings")
    func refusedSettings() throws {
        try workspace.drop(SwiftFixtures.module("misbehaves"))
        try workspace.misbehave(["launch": "abort"])
        let shell = try shell()
        try shell.type("launch users")
        try shell.type("help", thenWaitFor: "generations")
        try workspace.misbehave(["launch": "abort", "register": "throw"])
        try shell.wait(for: "warning: refused misbehaves generation ")
        try shell.wait(for: " serves on: ")
        let line = try #require(
            shell.seen.split(separator: "\n").last { $0.contains("refused misbehaves") })
        let numbers = line.split { !$0.isNumber }.compactMap { Int($0) }
        #expect(numbers.count > 1)
        try shell.type("generations", thenWaitFor: " of misbehaves was refused:\n")
        try shell.type("launch misbehave")
        try shell.wait(
            for: "error: misbehaves: generation \(numbers[1]) crashed with SIGABRT in the launch "
                + "of 'misbehave' (")
        #expect(try shell.ending().signal == SIGABRT)
    }
}
