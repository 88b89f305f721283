// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import Dispatch
import EavesSystem
import EavesTestSupport
import Foundation
import Synchronization
import Testing

@testable import EndToEndSupport

@Suite("hosts that share a store", .onOwnThreads, .patiently)
struct SharedStoreTests {
    private let workspace: Workspace

    init() throws {
        workspace = try Workspace(modules: ["users", "users-memory", "users-v2"])
        try FileManager.default.copyItem(
            at: OtherUsers.file.get(), to: workspace.url.appendingPathComponent("new.so"))
        try FileManager.default.copyItem(
            at: workspace.plugins.appendingPathComponent("users-memory.so"),
            to: workspace.url.appendingPathComponent("old.so"))
    }

    /// Replaces the file of a module in one step.
    private func place(_ name: String) throws {
        let line = "cp \(name) Plugins/.new && mv Plugins/.new Plugins/users-memory.so"
        #expect(try Eaves.shell(line, in: workspace.url).code == 0)
    }

    private func copies(of id: String = "") throws -> [String] {
        let modules = workspace.url.appendingPathComponent(".eaves/modules").path
        return try FileManager.default.contentsOfDirectory(atPath: modules).filter {
            $0.hasPrefix(id) && $0.hasSuffix(".so") && !$0.hasPrefix(".")
        }
    }

    /// Checks that each copy in the store has the content that its name says.
    private func expectWholeCopies() throws {
        for name in try copies() {
            let bytes = try Files.read(
                workspace.url.appendingPathComponent(".eaves/modules/\(name)").path)
            #expect(name.hasSuffix("@\(SHA256.digest(of: bytes).hex).so"))
        }
    }

    @Test("swap in all of them, and leave each other's copies alone as long as they are loaded")
    func swapInBoth() throws {
        let hosts = try (0..<2).map { _ in try LiveEaves("shell", in: workspace.url) }
        for host in hosts {
            try host.type("launch users", thenWaitFor: "1 Alice\n2 Bob\n")
        }
        let old = try #require(try copies(of: "users-memory@").first)
        try place("new.so")
        for host in hosts {
            try host.wait(for: "swapped users-memory: generation ")
            try host.type("launch users", thenWaitFor: "1 Grace\n2 Bob\n")
        }
        // A third host makes the copy of the new file, and cleans the store.
        #expect(try workspace.eaves("launch", "users").output == "1 Grace\n2 Bob\n")
        let both = try copies(of: "users-memory@")
        #expect(both.count == 2 && both.contains(old))
        // Both go back to the code that they have loaded, whatever lies in the store.
        try place("old.so")
        for host in hosts {
            try host.wait(for: "swapped users-memory: generation ")
            try host.type("launch users", thenWaitFor: "1 Alice\n2 Bob\n")
        }
        try place("new.so")
        for host in hosts { try host.wait(for: "swapped users-memory: generation ") }
        #expect(try hosts.map { try $0.finish().code } == [0, 0])
        // Nobody uses the old copy any more, and no file leads to it: the next one to clean removes it.
        let newest = try #require(both.first { $0 != old })
        try FileManager.default.removeItem(
            at: workspace.url.appendingPathComponent(".eaves/modules/\(newest)"))
        #expect(try workspace.eaves("launch", "users").output == "1 Grace\n2 Bob\n")
        #expect(try copies(of: "users-memory@") == [newest])
        try expectWholeCopies()
    }

    @Test("load while others clean, and while the file is exchanged")
    func loadWhileCleaning() throws {
        let isOver = Atomic(false)
        defer { isOver.store(true, ordering: .relaxed) }
        let group = DispatchGroup()
        let outcomes = Mutex<[Eaves.Outcome]>([])
        let failures = Mutex<[String]>([])
        for number in 0..<2 {
            DispatchQueue(label: "hosts \(number)").async(group: group) {
                while !isOver.load(ordering: .relaxed) {
                    do {
                        let outcome = try workspace.eaves("launch", "users")
                        outcomes.withLock { $0.append(outcome) }
                    } catch {
                        failures.withLock { $0.append("\(error)") }
                        return
                    }
                }
            }
        }
        // Each exchange makes the next launch copy and clean.
        for number in 0..<30 {
            try place(number.isMultiple(of: 2) ? "new.so" : "old.so")
            if number.isMultiple(of: 5) {
                #expect(try Eaves.shell("rm -f .eaves/modules/*", in: workspace.url).code == 0)
            }
            _ = try workspace.eaves("launch", "users")
        }
        isOver.store(true, ordering: .relaxed)
        group.wait()
        #expect(failures.withLock { $0 } == [])
        let all = outcomes.withLock { $0 }
        #expect(!all.isEmpty)
        for outcome in all {
            // A file that is exchanged between two looks of one launch is told; it is never half a file.
            let isWhole = ["1 Alice\n2 Bob\n", "1 Grace\n2 Bob\n"].contains(outcome.output)
            #expect(outcome.code == 0 && isWhole && outcome.errors == "", "\(outcome)")
        }
        try expectWholeCopies()
        _ = try workspace.eaves("launch", "users")
        #expect(try copies().count <= 4)
    }
}
