// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesCatalog
import Testing

@Suite("The graph of needs")
struct NeedsGraphTests {
    /// The graph of modules with names of one letter: `ab` says that `a` needs `b`.
    private func graph(_ starts: String, _ needs: String...) -> NeedsGraph<Character> {
        NeedsGraph(from: Array(starts), id: String.init) { module in
            needs.filter { $0.first == module }.flatMap { $0.dropFirst() }
        }
    }

    @Test("has each module once, behind those that it needs")
    func order() {
        #expect(String(graph("a", "abc", "bd", "cd").modules) == "dbca")
        #expect(String(graph("ba", "ab", "bc").modules) == "cba")
        #expect(graph("b", "abc", "bd").ids == ["b", "d"])
        #expect(graph("").modules.isEmpty)
    }

    @Test("goes through circles once, and knows the way round of each")
    func ways() {
        let one = graph("a", "ab", "bc", "ca")
        #expect(String(one.modules) == "cba")
        #expect(one.ways.map { String($0) } == ["bca"])
        #expect(graph("a", "aa").ways.map { String($0) } == ["a"])
        #expect(graph("a", "abc", "ba", "ca").ways.map { String($0) } == ["ba", "ca"])
        #expect(graph("a", "abc", "bd", "cd").ways.isEmpty)
    }

    @Test("knows which modules need each other, also where no way joins them")
    func circles() {
        // The need of 'c' leads to 'b', which was gone through by then.
        let joined = graph("a", "abc", "ba", "cb")
        #expect(joined.areInCircle("b", "c") && joined.areInCircle("a", "c"))
        let apart = graph("ace", "ab", "ba", "cda", "dc", "ea")
        #expect(apart.areInCircle("a", "b") && apart.areInCircle("c", "d"))
        #expect(!apart.areInCircle("a", "c") && !apart.areInCircle("e", "a"))
        #expect(!apart.areInCircle("a", "a") && !apart.areInCircle("x", "a"))
    }

    @Test("goes through a long chain, and asks each module once")
    func long() {
        var asked = 0
        let graph = NeedsGraph(from: [0], id: { String($0) }) { number in
            asked += 1
            return number < 20_000 ? [number + 1] : [number - 10_000]
        }
        #expect(graph.modules.first == 20_000 && asked == 20_001)
        #expect(graph.areInCircle("15000", "20000") && !graph.areInCircle("5000", "20000"))
        #expect(graph.ways.map(\.count) == [10_001])
    }
}
