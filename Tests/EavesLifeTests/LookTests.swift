// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesDeclaration
import EavesSystem
import EavesTestSupport
import Testing

@testable import EavesLife

@Suite("The plan of a look at the disk", .onOwnThreads)
struct LookTests {
    /// The numbers from which chance goes on: the same ones in each usual run, and others in each soak.
    private static let seeds: [UInt64] = {
        let first = Soak.seconds == nil ? 1 : UInt64.random(in: 0..<1 << 32)
        return (0..<UInt64(Soak.rounds(6_000))).map { first + $0 }
    }()

    @Test("ends, loses no service and no state, and leaves no generation on its way")
    func sequences() throws {
        for seed in Self.seeds {
            var world = LookWorld(seed: seed)
            for _ in 0..<5 {
                _ = try world.look()
                try require(world, seed)
                world.judge()
                world.changeDisk()
            }
        }
    }

    @Test("takes on all that the disk wants, or says why not, and then rests")
    func rest() throws {
        for seed in Self.seeds {
            var world = LookWorld(seed: seed)
            for _ in 0..<3 {
                _ = try world.look()
                world.judge()
                world.changeDisk()
            }
            world.isFair = true
            world.loading = []
            _ = try world.look()
            try world.takeOn()
            world.diary.append("now it rests")
            let begun = world.diary.count
            let look = try world.look()
            let steps = world.diary[begun...].dropLast()
            world.check(
                steps.allSatisfy { $0.hasPrefix("compare") } && look.changes.isEmpty,
                "it does not rest: \(look.changes)")
            try world.checkWishes(look)
            try require(world, seed)
        }
    }

    private func require(_ world: LookWorld, _ seed: UInt64) throws {
        try #require(
            world.mistakes.isEmpty,
            "seed \(seed): \(world.mistakes)\n\(world.diary.joined(separator: "\n"))")
    }
}

@Suite("The patience with an unfinished file")
struct UnfinishedFileTests {
    private let start = ContinuousClock.now
    private let limit = Duration.seconds(1)
    private var running = Running()

    /// Whether a look would wait for a file that has this size now.
    private mutating func waits(
        for module: String = "users", _ size: Int64, at now: ContinuousClock.Instant
    ) -> Bool {
        let file = FileIdentity(device: 1, inode: 1, size: size, modified: size, changed: size)
        return running[module: module].isWorthWaiting(for: file, within: limit, at: now)
    }

    @Test("ends when the file has stayed the same for the limit")
    mutating func same() {
        #expect(!running.hasUnfinished)
        #expect(waits(1, at: start) == true)
        let last = start + limit - .nanoseconds(1)
        #expect(waits(1, at: last) == true)
        #expect(waits(1, at: start + limit) == false)
        #expect(running.hasUnfinished)
    }

    @Test("begins anew with each piece of a file that grows, however long that takes")
    mutating func growing() {
        for second in 0..<20 {
            #expect(waits(Int64(second + 1), at: start + limit * second))
        }
        #expect(waits(20, at: start + limit * 20) == false)
    }

    @Test("is separate for each module, and begins anew once a file was whole or refused")
    mutating func separate() {
        #expect(waits(1, at: start) == true)
        #expect(waits(for: "events", 1, at: start + limit) == true)
        #expect(waits(1, at: start + limit) == false)
        running[module: "users"].unfinished = nil
        #expect(waits(1, at: start + limit) == true)
        running[module: "users"].unfinished = nil
        running[module: "events"].unfinished = nil
        #expect(!running.hasUnfinished)
        // The host knows nothing of the modules any more.
        #expect(running.modules.isEmpty)
    }
}
