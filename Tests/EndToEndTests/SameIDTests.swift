// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesTestSupport
import Foundation
import Testing

@testable import EndToEndSupport

@Suite("several files with one id", .onOwnThreads)
struct SameIDTests {
    private static let badFile = "Plugins/a.so"
    private static let goodFile = "Plugins/z.so"

    /// The shipped `users-v2` under a late name, and a copy with other text of the same length under an early one.
    private func workspace(_ text: String, _ other: String) throws -> Workspace {
        let workspace = try Workspace(modules: ["users", "users-memory"])
        var bytes = try Workspace.bytes(of: "users-v2")
        try workspace.drop(bytes, as: "z.so")
        #expect(text.utf8.count == other.utf8.count)
        try #require(bytes.range(of: Data(text.utf8)) != nil)
        while let place = bytes.range(of: Data(text.utf8)) {
            bytes.replaceSubrange(place, with: Data(other.utf8))
        }
        try workspace.drop(bytes, as: "a.so")
        return workspace
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
        // Built for another host, without an entry point, with a symbol that is lacking, or an interface.
        (#""abi":1"#, #""abi":9"#, "incompatible"),
        ("eaves_register", "eaves_registeX", "invalid"),
        ("$s14EavesInterface9Registrar", "$s14EavesInterface9RegistraX", "incompatible"),
        (#""id":"common""#, #""id":"cammon""#, "incompatible"),
    ]

    @Test("a bad file takes the id from no good one: it does not fit this host", arguments: damages)
    func misfit(text: String, other: String, state: String) throws {
        try expectGoodIsUsed(workspace(text, other), bad: state)
    }

    @Test("a module that is off is off, whichever of its files would be used")
    func off() throws {
        let workspace = try workspace(#""abi":1"#, #""abi":9"#)
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
            // Two lines name the file that is used, and one of the others.
            #expect(outcome.errors.split(separator: "\n").count == (isSame ? 2 : 0))
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
