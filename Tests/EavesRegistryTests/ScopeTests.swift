// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesInterface
import EavesRegistry
import EavesTestSupport
import Glibc
import Testing

@Suite("Scopes")
struct ScopeTests {
    private let container = Container()

    struct Pair: Car {
        let engine: any Engine
        let other: any Engine
    }

    private func pairs() throws -> Container {
        let container = Container()
        let counter = Counter()
        try container.registerEngine(.graph, counting: counter)
        try container.register((any Wheels).self) {
            FixedWheels(count: try $0.resolve((any Engine).self).id)
        }
        try container.register(Pair.self) { resolver in
            let nested = try resolver.resolve((any Wheels).self)
            let engine = try resolver.resolve((any Engine).self)
            #expect(nested.count == engine.id)
            return Pair(engine: engine, other: try resolver.resolve((any Engine).self))
        }
        return container
    }

    /// The factory may be the first one to load a library that does this.
    @Test(
        "a factory that changes how its thread computes leaves the thread as it was",
        arguments: [Scope.shared, .weak])
    func arithmetic(scope: Scope) throws {
        try container.register((any Engine).self, scope: scope) { _ in
            fesetround(FE_UPWARD)
            return CountedEngine()
        }
        _ = try container.resolve((any Engine).self)
        #expect(fegetround() == 0)
    }

    @Test("graph: one instance within a resolution, nested ones included, another in the next")
    func graph() throws {
        let container = try pairs()
        for turn in 1...3 {
            let pair = try container.resolve(Pair.self)
            #expect(pair.engine.id == turn)
            #expect(pair.other.id == turn)
        }
        #expect(try container.resolve((any Engine).self).id == 4)
        #expect(try container.resolve((any Engine).self).id == 5)
    }

    @Test("graph: keeps nothing after the resolution, also if it failed")
    func graphEnds() throws {
        let tries = Counter()
        let ended = Counter()
        try container.register((any Engine).self, scope: .graph) { _ in Ending(ended) }
        try container.register((any Car).self) { resolver in
            let engine = try resolver.resolve((any Engine).self)
            if tries.next() == 1 { throw Broken(what: "clutch") }
            #expect(ended.count == 1)
            return SimpleCar(engine: engine)
        }
        #expect(throws: ResolutionError.self) { try container.resolve((any Car).self) }
        #expect(ended.count == 1)
        _ = try container.resolve((any Car).self)
        #expect(ended.count == 2)
    }

    @Test("graph: threads do not share what they resolve")
    func graphThreads() throws {
        let container = try pairs()
        let wrong = Counter()
        Threads.run(8) { _ in
            for _ in 0..<Soak.rounds(200) {
                guard let pair = try? container.resolve(Pair.self) else {
                    wrong.next()
                    continue
                }
                if pair.engine.id != pair.other.id { wrong.next() }
            }
        }
        #expect(wrong.count == 0)
    }

    @Test("weak: one instance as long as other code keeps it, and then another")
    func weak() throws {
        let counter = Counter()
        try container.registerEngine(.weak, counting: counter)
        do {
            let engine = try container.resolve((any Engine).self)
            #expect(engine.id == 1)
            #expect(try container.resolve((any Engine).self).id == 1)
            withExtendedLifetime(engine) {}
        }
        #expect(try container.resolve((any Engine).self).id == 2)
    }

    @Test("weak: a value that is no object is created anew each time")
    func weakValue() throws {
        let counter = Counter()
        try container.register((any Wheels).self, scope: .weak) { _ in
            FixedWheels(count: counter.next())
        }
        #expect(try container.resolve((any Wheels).self).count == 1)
        #expect(try container.resolve((any Wheels).self).count == 2)
    }

    @Test("weak: created once under many threads that keep it")
    func weakThreads() throws {
        let counter = Counter()
        try container.registerEngine(.weak, counting: counter)
        let kept = try container.resolve((any Engine).self)
        let wrong = Counter()
        Threads.run(8) { _ in
            for _ in 0..<100 {
                if (try? container.resolve((any Engine).self))?.id != 1 { wrong.next() }
            }
        }
        #expect(wrong.count == 0)
        withExtendedLifetime(kept) {}
    }

    @Test("named: keeps one instance until the reset of this scope")
    func named() throws {
        let session = Scope.named("session")
        let counter = Counter()
        for (name, scope) in [("session", session), ("shared", .shared)] {
            try container.registerEngine(name: name, scope, counting: counter)
        }
        #expect(try container.resolve((any Engine).self, name: "session").id == 1)
        #expect(try container.resolve((any Engine).self, name: "shared").id == 2)
        #expect(try container.resolve((any Engine).self, name: "session").id == 1)
        container.reset(.named("session"))
        #expect(try container.resolve((any Engine).self, name: "session").id == 3)
        #expect(try container.resolve((any Engine).self, name: "session").id == 3)
        #expect(try container.resolve((any Engine).self, name: "shared").id == 2)
    }
}
