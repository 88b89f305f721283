// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesTestSupport
import Foundation
import Glibc
import Testing

@testable import EndToEndSupport

@Suite("several files with one id", .onOwnThreads)
struct SameIDTests {
    private static let badFile = "Plugins/a.so"
    private static let goodFile = "Plugins/z.so"

    /// The shipped `users-v2` under a late name, and another file under an early one.
    private func workspace(_ bad: [UInt8]) throws -> Workspace {
        let workspace = try Workspace(modules: ["users", "users-memory"])
        try workspace.drop(try Workspace.bytes(of: "users-v2"), as: "z.so")
        try workspace.drop(Data(bad), as: "a.so")
        return workspace
    }

    private func module() throws -> [UInt8] { Array(try Workspace.bytes(of: "users-v2")) }

    /// A copy of the module with other text of the same length.
    private func module(_ text: String, _ other: String) throws -> [UInt8] {
        var bytes = Data(try module())
        #expect(text.utf8.count == other.utf8.count)
        try #require(bytes.range(of: Data(text.utf8)) != nil)
        while let place = bytes.range(of: Data(text.utf8)) {
            bytes.replaceSubrange(place, with: Data(other.utf8))
        }
        return Array(bytes)
    }

    /// Expects that every command takes the good file; the first one, when there is no cache yet.
    private func expectGoodIsUsed(
        _ workspace: Workspace, bad state: String,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let eaves = workspace.eaves
        func list() throws {
            let modules = try workspace.list().modules.filter { $0.id == "users-v2" }
            #expect(modules.map(\.path) == [Self.badFile, Self.goodFile])
            #expect(modules.map(\.state) == [state, "ready"], sourceLocation: sourceLocation)
        }
        try list()
        let inspected = try eaves("inspect", "users-v2")
        #expect(inspected.code == 0, "\(inspected)", sourceLocation: sourceLocation)
        #expect(inspected.output.contains("Plugins/z.so"), sourceLocation: sourceLocation)
        let verified = try eaves("verify", "--only", "entry-point", "users-v2")
        #expect(verified.code == 0, "\(verified)", sourceLocation: sourceLocation)
        let swapped = try eaves("swap", "UserService", "users-v2")
        #expect(swapped.code == 0, "\(swapped)", sourceLocation: sourceLocation)
        let launched = try eaves("launch", "users")
        #expect(launched.output == "2 Charlie\n", "\(launched)", sourceLocation: sourceLocation)
        let validated = try eaves("validate")
        #expect(validated.code != 0, sourceLocation: sourceLocation)
        #expect(validated.errors.contains(Self.badFile), sourceLocation: sourceLocation)
        #expect(
            !validated.errors.contains("another module"), "\(validated)",
            sourceLocation: sourceLocation)
        try list()
    }

    /// Changes of the module's text, and the state that each leads to.
    private static let damages = [
        // Built for another host.
        (#""abi":1"#, #""abi":9"#, "incompatible"),
        (#""interface":"1."#, #""interface":"9."#, "incompatible"),
        // No entry point, or a symbol that is lacking.
        ("eaves_register", "eaves_registeX", "invalid"),
        ("$s14EavesInterface9Registrar", "$s14EavesInterface9RegistraX", "incompatible"),
        // An interface is missing, or too old.
        (#""id":"common""#, #""id":"cammon""#, "incompatible"),
        (
            #""module":"CommonInterface","version":"1."#,
            #""module":"CommonInterface","version":"9."#, "incompatible"
        ),
    ]

    @Test("a bad file takes the id from no good one: it does not fit this host", arguments: damages)
    func misfit(text: String, other: String, state: String) throws {
        try expectGoodIsUsed(workspace(module(text, other)), bad: state)
    }

    @Test("a bad file takes the id from no good one: built for another machine")
    func machine() throws {
        var foreign = try module()
        foreign[18] = 0xB7
        try expectGoodIsUsed(workspace(foreign), bad: "incompatible")
    }

    @Test("a bad file takes the id from no good one: another user can change it, or owns it")
    func trust() throws {
        let workspace = try workspace(module())
        let bad = workspace.plugins.appendingPathComponent("a.so").path
        #expect(chmod(bad, 0o666) == 0)
        try expectGoodIsUsed(workspace, bad: "untrusted")
        guard geteuid() == 0 else { return }
        #expect(chmod(bad, 0o644) == 0 && chown(bad, 12_345, 12_345) == 0)
        try expectGoodIsUsed(workspace, bad: "untrusted")
    }

    @Test("a bad file takes the id from no good one: it has not the content that is pinned")
    func pinned() throws {
        let workspace = try Workspace(modules: ["users", "users-memory"])
        try workspace.drop(try Workspace.bytes(of: "users-v2"), as: "z.so")
        #expect(try workspace.eaves("pin", "users-v2").code == 0)
        try workspace.drop(Data(module()) + Data([0]), as: "a.so")
        try expectGoodIsUsed(workspace, bad: "untrusted")
    }

    @Test("a bad file takes the id from no good one: it is in quarantine")
    func quarantined() throws {
        let workspace = try workspace(module() + [0])
        let digest = try Eaves.shell("sha256sum Plugins/a.so", in: workspace.url)
        let sha256 = try #require(digest.output.split(separator: " ").first)
        try workspace.folder.write(
            """
            { "schema": 1, "files": [], "records": [ { "module": "users-v2",
              "path": "Plugins/a.so", "sha256": "\(sha256)", "since": 1, "reason": "crashed",
              "crashes": [] } ] }
            """, to: ".eaves/quarantine/modules.json")
        try expectGoodIsUsed(workspace, bad: "quarantined")
    }

    @Test("a module that is off is off, whichever of its files would be used")
    func off() throws {
        let workspace = try workspace(module(#""abi":1"#, #""abi":9"#))
        #expect(try workspace.eaves("disable", "users-v2").code == 0)
        let states = try workspace.list().modules.filter { $0.id == "users-v2" }.map(\.state)
        #expect(states == ["incompatible", "disabled"])
        #expect(try workspace.eaves("launch", "users").output == "1 Alice\n2 Bob\n")
    }

    @Test("a thousand files cost a launch little more than a thousand modules, and few messages")
    func thousand() throws {
        var calls: [Int] = []
        for isSame in [false, true] {
            let modules = try ManyModules(count: 1000, isSame: isSame)
            // The second time, the answer comes from the cache. The shell counts what its children read.
            let line = "eaves launch feature-0000; grep syscr /proc/$$/io"
            var outcome = try Eaves.shell(line, in: modules.folder.url)
            outcome = try Eaves.shell(line, in: modules.folder.url)
            #expect(outcome.lines.first == "this is 0000", "\(outcome)")
            #expect(outcome.errors == "")
            let count = outcome.lines.last?.split(separator: " ").last.flatMap { Int($0) }
            calls.append(try #require(count))
            guard isSame else { continue }
            let listed = try modules.eaves("list")
            #expect(listed.output.split(separator: "\n").count > 1000)
            #expect(listed.errors.split(separator: "\n").count == 8, "\(listed.errors)")
            #expect(listed.errors.contains("numbered-0000: 996 more files have this id"))
            let validated = try modules.eaves("validate")
            #expect(validated.errors.split(separator: "\n").count == 8)
        }
        #expect(calls[1] < calls[0] + 1000, "\(calls)")
    }
}
