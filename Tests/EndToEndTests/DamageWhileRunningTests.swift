// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesTestSupport
import Foundation
import Testing

@testable import EndToEndSupport

@Suite("a module's file that is damaged while a feature runs", .onOwnThreads)
struct DamageWhileRunningTests {
    /// What can happen to a file.
    enum Damage: CaseIterable {
        case overwritten, truncated, cutInHalf, deleted, replaced

        func happen(to file: URL) throws {
            switch self {
            case .overwritten:
                let handle = try FileHandle(forWritingTo: file)
                let size = try handle.seekToEnd()
                try handle.seek(toOffset: 0)
                try handle.write(contentsOf: Data(repeating: 0xcc, count: Int(size)))
                try handle.close()
            case .truncated: try FileHandle(forWritingTo: file).truncate(atOffset: 0)
            case .cutInHalf: try FileHandle(forWritingTo: file).truncate(atOffset: 4096)
            case .deleted: try FileManager.default.removeItem(at: file)
            case .replaced: try Data("something else".utf8).write(to: file, options: .atomic)
            }
        }
    }

    @Test("does not harm what is loaded", arguments: Damage.allCases, [false, true])
    func loaded(damage: Damage, isReadOnly: Bool) throws {
        let workspace = try workspace(isReadOnly: isReadOnly)
        let running = try LiveEaves("launch", "wait", "a", "bb", "a", in: workspace.url)
        try running.wait(for: "waiting\n")
        for name in ["waits-for-line.so", "users-memory.so"] {
            try damage.happen(to: workspace.plugins.appendingPathComponent(name))
        }
        let outcome = try finish(running)
        #expect(outcome.output == "Alice, Bob\nwaiting\nAlice, Bob\nfar away: a=2 bb=2\n")
        #expect(outcome.code == 0)
        outcome.expectNoCrash()
    }

    @Test("is an error when the module is needed only then", arguments: Damage.allCases)
    func needed(damage: Damage) throws {
        let workspace = try workspace(isReadOnly: false)
        let running = try LiveEaves("launch", "wait-first", in: workspace.url)
        try running.wait(for: "waiting\n")
        try damage.happen(to: workspace.plugins.appendingPathComponent("users-memory.so"))
        let outcome = try finish(running)
        #expect(outcome.errors.hasPrefix("waiting\nerror: users-memory: "), "\(outcome)")
        #expect(outcome.errors.contains("Plugins/users-memory.so"), "\(outcome)")
        #expect(outcome.errors.contains("\nfix: "), "\(outcome)")
        #expect(outcome.code == (damage == .deleted ? 66 : 65), "\(outcome)")
        outcome.expectNoCrash()
    }

    /// Gives the line that the feature waits for. Messages stand among the output.
    private func finish(_ running: LiveEaves) throws -> Eaves.Outcome {
        try running.type("go")
        let (code, signal) = try running.finish()
        return Eaves.Outcome(
            code: code, signal: signal, output: running.seen, errors: running.seen)
    }

    /// - Parameter isReadOnly: Whether the store cannot be written, so that copies live in memory.
    private func workspace(isReadOnly: Bool) throws -> Workspace {
        let workspace = try Workspace()
        try workspace.drop(try SwiftFixtures.module("waits-for-line"))
        if isReadOnly { try workspace.folder.write("", to: ".eaves") }
        return workspace
    }
}
