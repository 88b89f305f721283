// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesSystem
import EavesTestSupport
import Testing

@Suite("The plan of a look at the disk", .onOwnThreads)
struct LookTests {
    @Test("is what its table says", arguments: LookRow.all)
    func table(row: LookRow) throws {
        let world = try LookWorld()
        for event in row.before { world.happen(event) }
        world.happen(.look)
        (world.steps, world.told) = ([], [])
        for event in row.events + [.look] { world.happen(event) }
        #expect(world.steps.joined(separator: ", ") == row.steps)
        let isTold = zip(world.told, row.told).allSatisfy { $0.matches($1) }
        #expect(isTold && world.told.count == row.told.count, "\(world.told)")
        #expect(world.state == row.state)
        #expect(world.mistakes.isEmpty)
    }

    /// The seed of `EAVES_SEED`, or so many from the same one in each usual run, and from another one in each soak.
    private static let seeds: [UInt64] = {
        if let seed = Environment.current["EAVES_SEED"].flatMap({ UInt64($0) }) { return [seed] }
        let first = Soak.seconds == nil ? 1 : UInt64.random(in: 0..<1 << 32)
        return (0..<UInt64(Soak.rounds(10_000, atLeast: 3_000))).map { first + $0 }
    }()

    @Test(
        "ends each history well: no state is lost, nothing bad serves twice, all is judged",
        arguments: 0..<8)
    func histories(part: Int) throws {
        for seed in Self.seeds where seed % 8 == part {
            let events = LookHistory(seed: seed).events
            guard try !LookHistory.mistakes(in: events).isEmpty else { continue }
            let shorter = try LookHistory.shortened(events)
            let mistakes = try LookHistory.mistakes(in: shorter)
            let words = shorter.map { ".\($0)" }.joined(separator: ", ")
            Issue.record("EAVES_SEED=\(seed): \(mistakes.joined(separator: "; "))\n\(words)")
            return
        }
    }
}

extension String {
    /// Whether the text is a pattern's, in which `…` stands for any text.
    func matches(_ pattern: String) -> Bool {
        let parts = pattern.split(separator: "…", omittingEmptySubsequences: false)
        guard let first = parts.first, let last = parts.last, hasPrefix(first), hasSuffix(last),
            parts.count > 1
        else { return self == pattern }
        var rest = dropFirst(first.count)
        for part in parts.dropFirst().dropLast() {
            guard let range = rest.firstRange(of: part) else { return false }
            rest = rest[range.upperBound...]
        }
        return rest.count >= last.count
    }
}
