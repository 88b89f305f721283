// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesTestSupport
import Foundation
import Testing

@testable import EndToEndSupport

@Suite("several files with one id", .onOwnThreads)
struct SameIDTests {
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

    // One is built for another host, and one has no entry point.
    @Test(
        "a bad file takes the id from no good one; a module that is off is off, whichever file it is",
        arguments: [
            (#""abi":1"#, #""abi":9"#, "incompatible"),
            ("eaves_register", "eaves_registeX", "invalid"),
        ])
    func misfit(text: String, other: String, state: String) throws {
        let workspace = try workspace(text, other)
        let eaves = workspace.eaves
        func states() throws -> [String] {
            try workspace.list().modules.filter { $0.id == "users-v2" }.map(\.state)
        }
        #expect(try eaves("disable", "users-v2").code == 0)
        #expect(try !states().contains("ready"))
        #expect(try eaves("enable", "users-v2").code == 0)
        #expect(try states() == [state, "ready"])
        #expect(try eaves("swap", "UserService", "users-v2").code == 0)
        #expect(try eaves("launch", "users").output == "2 Charlie\n")
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
        }
        #expect(calls[1] < calls[0] + 1000, "\(calls)")
    }
}
