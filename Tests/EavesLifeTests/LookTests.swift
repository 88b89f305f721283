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

    /// Whether a look would wait for a file that has this size now.
    private func waits(
        _ file: inout ModuleLife.File, _ size: Int64, at now: ContinuousClock.Instant
    ) -> Bool {
        let identity = FileIdentity(
            device: 1, inode: 1, size: size, modified: size, changed: size)
        guard let next = file.awaiting(identity, within: limit, at: now) else { return false }
        file = next
        return true
    }

    @Test("ends when the file has stayed the same for the limit")
    func same() {
        var file = ModuleLife.File.taken
        #expect(waits(&file, 1, at: start))
        #expect(waits(&file, 1, at: start + limit - .nanoseconds(1)))
        #expect(!waits(&file, 1, at: start + limit))
    }

    @Test("begins anew with each piece of a file that grows, however long that takes")
    func growing() {
        var file = ModuleLife.File.taken
        for second in 0..<20 {
            #expect(waits(&file, Int64(second + 1), at: start + limit * second))
        }
        #expect(!waits(&file, 20, at: start + limit * 20))
    }

    @Test("begins anew once a file was whole or refused")
    func separate() {
        var file = ModuleLife.File.taken
        #expect(waits(&file, 1, at: start))
        #expect(!waits(&file, 1, at: start + limit))
        file = .taken
        #expect(waits(&file, 1, at: start + limit))
    }
}
