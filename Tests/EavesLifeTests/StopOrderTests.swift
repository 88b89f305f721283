// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesCatalog
import EavesDeclaration
import EavesTestSupport
import Testing

@testable import EavesLife

@Suite("The order in which modules are stopped", .onOwnThreads)
struct StopOrderTests {
    private func order(_ started: [String], _ uses: [(String, String)]) -> [String] {
        var order = StopOrder([])
        for (user, used) in uses { order.add(user, uses: used) }
        return order.order(of: started)
    }

    @Test("is the reverse order of their starts if none uses another one")
    func independent() {
        #expect(order(["a", "b", "c"], []) == ["c", "b", "a"])
        #expect(order([], [("a", "b")]) == [])
    }

    @Test("has users before what they use, also if that started later")
    func chain() {
        let uses = [("walk", "first"), ("first", "second"), ("second", "third")]
        let expected = ["walk", "first", "second", "third"]
        #expect(order(["third", "second", "first", "walk"], uses) == expected)
        #expect(order(["third", "first", "walk", "second"], uses) == expected)
        #expect(order(expected, uses) == expected)
    }

    @Test("follows uses through modules that have nothing to stop")
    func through() {
        #expect(order(["a", "c"], [("a", "b"), ("b", "c")]) == ["a", "c"])
    }

    @Test("has a circle between its users and what it uses, and inside it the reverse order")
    func circle() {
        let uses = [("user", "a"), ("a", "b"), ("b", "c"), ("c", "a"), ("b", "used"), ("a", "a")]
        let expected = ["user", "c", "b", "a", "used"]
        #expect(order(["user", "a", "b", "c", "used"], uses) == expected)
        #expect(order(["a", "user", "b", "used", "c"], uses) == expected)
    }

    @Test("keeps its rules for any modules and uses")
    func properties() {
        for seed in 0..<Soak.rounds(20_000) {
            var chance = SeededNumbers(seed: UInt64(seed))
            let count = Int.random(in: 1...9, using: &chance)
            let all = (0..<count).map { "m\($0)" }
            // Some of the modules are on the way only.
            let started = all.shuffled(using: &chance)
                .prefix(Int.random(in: 1...count, using: &chance))
            var uses: [(Int, Int)] = []
            for _ in 0..<Int.random(in: 0...2 * count, using: &chance) {
                let user = Int.random(in: 0..<count, using: &chance)
                uses.append((user, Int.random(in: 0..<count, using: &chance)))
            }
            let order = order(Array(started), uses.map { (all[$0], all[$1]) })
            let again = self.order(
                Array(started), uses.shuffled(using: &chance).map { (all[$0], all[$1]) })
            #expect(order == again)
            #expect(order.sorted() == started.sorted())
            expectRules(order, started: Array(started), reaching(uses, count), all)
        }
    }

    /// Which modules use which, directly or through others.
    private func reaching(_ uses: [(Int, Int)], _ count: Int) -> [[Bool]] {
        var reach = Array(repeating: Array(repeating: false, count: count), count: count)
        for (user, used) in uses { reach[user][used] = true }
        for middle in 0..<count {
            for user in 0..<count where reach[user][middle] {
                for used in 0..<count where reach[middle][used] { reach[user][used] = true }
            }
        }
        return reach
    }

    private func expectRules(
        _ order: [String], started: [String], _ reach: [[Bool]], _ all: [String]
    ) {
        let numbers = order.map { all.firstIndex(of: $0) ?? 0 }
        let starts = order.map { started.firstIndex(of: $0) ?? 0 }
        for earlier in order.indices {
            for later in order.indices where later > earlier {
                let (first, second) = (numbers[earlier], numbers[later])
                let isUsed = reach[second][first]
                let isUser = reach[first][second]
                #expect(isUser || !isUsed, "\(order): \(order[later]) uses \(order[earlier])")
                if isUser && isUsed { #expect(starts[earlier] > starts[later], "\(order)") }
            }
        }
    }

    @Test("takes uses from what modules declare")
    func sources() {
        let entries = [
            ModuleDeclaration.sample("a", requires: ["Second.Service"]),
            .sample("b", provides: ["First.Service"]), .sample("c", provides: ["Second.Service"]),
            .sample("d"),
        ].map { CatalogEntry(id: $0.id, path: $0.id, file: "/\($0.id)", source: $0) }
        #expect(StopOrder(entries).order(of: ["a", "b", "c", "d"]) == ["d", "b", "a", "c"])
    }
}
