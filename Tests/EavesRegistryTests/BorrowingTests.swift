// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

@_spi(Containers) import EavesInterface
import EavesRegistry
import EavesTestSupport
import Testing

@Suite("Borrowing", .patiently)
struct BorrowingTests {
    private let container = Container()

    @Test("lends the instance that is kept, and creates it first if there is none")
    func kept() throws {
        let counter = Counter()
        for name in [nil, "spare"] {
            try container.registerEngine(name: name, .shared, counting: counter)
        }
        for _ in 0..<3 {
            #expect(try container.borrow((any Engine).self, \.id) == 1)
            #expect(try container.borrow((any Engine).self, name: "spare", \.id) == 2)
        }
        #expect(try container.resolve((any Engine).self).id == 1)
        #expect(counter.count == 2)
    }

    @Test("creates and releases an instance that no scope keeps")
    func transient() throws {
        let counter = Counter()
        try container.registerEngine(counting: counter)
        weak var engine: CountedEngine?
        for number in 1...3 {
            let id = try container.borrow((any Engine).self) {
                engine = $0 as? CountedEngine
                return $0.id
            }
            #expect(id == number)
            #expect(engine == nil)
        }
    }

    @Test("lends values as well as objects, without boxing them")
    func values() throws {
        try container.register((any Wheels).self, scope: .shared) { _ in FixedWheels(count: 4) }
        try container.register([Int].self, scope: .shared) { _ in Array(0..<100) }
        try container.register(Int.self, scope: .shared) { _ in 7 }
        for _ in 0..<2 {
            #expect(try container.borrow((any Wheels).self, \.count) == 4)
            #expect(try container.borrow([Int].self) { $0.reduce(0, +) } == 4950)
            #expect(try container.borrow(Int.self) { $0 } == 7)
        }
    }

    @Test("passes on the errors of resolving and of the caller")
    func errors() throws {
        #expect(throws: ResolutionError.self) { try container.borrow((any Wheels).self, \.count) }
        try container.register((any Wheels).self, scope: .shared) { _ in FixedWheels(count: 4) }
        for _ in 0..<2 {
            #expect(throws: Broken(what: "body")) {
                try container.borrow((any Wheels).self) { _ in throw Broken(what: "body") }
            }
        }
        // A call that throws has given the service back.
        container.unregister((any Wheels).self)
        #expect(throws: ResolutionError.self) { try container.borrow((any Wheels).self, \.count) }
    }

    @Test("keeps a service that is unregistered meanwhile until the call ends, and no longer")
    func takenBack() throws {
        let isReleased = Signal("the release of the engine")
        try container.register((any Engine).self, scope: .shared) { _ in
            WatchedEngine(isReleased)
        }
        weak let engine = try container.resolve((any Engine).self) as? WatchedEngine
        try container.borrow((any Engine).self) { lent throws in
            container.unregister((any Engine).self)
            container.reclaim()
            #expect(throws: ResolutionError.self) { try container.resolve((any Engine).self) }
            // Neither resolving nor borrowing inside has ended the loan.
            try container.register((any Wheels).self, scope: .shared) { _ in
                FixedWheels(count: 4)
            }
            _ = try container.resolve((any Wheels).self)
            #expect(try container.borrow((any Wheels).self, \.count) == 4)
            container.reclaim()
            #expect(engine != nil)
            #expect(lent.id == 1)
        }
        // The loan was in the way, and cleans up. If other tests' threads are in sections, they do.
        isReleased.wait()
    }

    @Test("begins no resolution: each resolution inside has a graph of its own")
    func graphs() throws {
        let counter = Counter()
        try container.register((any Wheels).self, scope: .shared) { _ in FixedWheels(count: 4) }
        try container.registerEngine(.graph, counting: counter)
        _ = try container.resolve((any Wheels).self)
        try container.borrow((any Wheels).self) { _ throws in
            #expect(try container.resolve((any Engine).self).id == 1)
            #expect(try container.resolve((any Engine).self).id == 2)
            #expect(try container.borrow((any Engine).self, \.id) == 3)
        }
    }

    @Test("a resolution inside keeps its graph until it ends")
    func graphInside() throws {
        let counter = Counter()
        try container.register((any Wheels).self, scope: .shared) { _ in FixedWheels(count: 4) }
        try container.registerEngine(.graph, counting: counter)
        try container.register((any Car).self) { resolver in
            let engine = try resolver.resolve((any Engine).self)
            #expect(try resolver.resolve((any Engine).self).id == engine.id)
            return SimpleCar(engine: try resolver.resolve((any Engine).self))
        }
        _ = try container.resolve((any Wheels).self)
        try container.borrow((any Wheels).self) { _ throws in
            #expect(try container.resolve((any Car).self).engine.id == 1)
            #expect(try container.resolve((any Car).self).engine.id == 2)
        }
    }

    @Test("in a factory belongs to its resolution")
    func inFactory() throws {
        let counter = Counter()
        try container.register((any Wheels).self, scope: .shared) { _ in FixedWheels(count: 4) }
        _ = try container.resolve((any Wheels).self)
        try container.registerEngine(.graph, counting: counter)
        try container.register((any Car).self) { resolver in
            let first = try resolver.resolve((any Engine).self)
            return try resolver.borrow((any Wheels).self) { _ in
                let second = try resolver.resolve((any Engine).self)
                #expect(first.id == second.id)
                return SimpleCar(engine: second)
            }
        }
        #expect(try container.resolve((any Car).self).engine.id == 1)
        #expect(try container.borrow((any Car).self, \.engine.id) == 2)
    }

    @Test("in a child lends the parent's instance, unless the child has its own")
    func family() throws {
        let parent = Container()
        let child = Container(parent: parent)
        try parent.register((any Wheels).self, scope: .shared) { _ in FixedWheels(count: 4) }
        for _ in 0..<2 { #expect(try child.borrow((any Wheels).self, \.count) == 4) }
        try child.register((any Wheels).self, scope: .shared) { _ in FixedWheels(count: 6) }
        for _ in 0..<2 { #expect(try child.borrow((any Wheels).self, \.count) == 6) }
        #expect(try parent.borrow((any Wheels).self, \.count) == 4)
    }

    @Test("asks the supplier for a missing service")
    func supplied() throws {
        let container = Container { request, container in
            try container.register((any Wheels).self, scope: .shared) { _ in
                FixedWheels(count: 4)
            }
            return request.service == "Wheels"
        }
        for _ in 0..<2 { #expect(try container.borrow((any Wheels).self, \.count) == 4) }
    }

    @Test("through a resolver that lends nothing resolves instead")
    func plainResolver() throws {
        let counter = Counter()
        try container.registerEngine(.shared, counting: counter)
        let weakly = container.weaklyHeld
        for _ in 0..<2 { #expect(try weakly.borrow((any Engine).self, \.id) == 1) }
    }

    @Test("is safe while others replace the lent service")
    func replaced() throws {
        // A value of two parts that belong together, in memory of its own.
        struct Pair: Wheels {
            let parts: [Int]
            var count: Int { parts[0] == parts[1] ? parts[0] : -1 }
            init(_ number: Int) { parts = [number, number] }
        }
        try container.register((any Wheels).self, scope: .shared) { _ in Pair(0) }
        let counter = Counter()
        let wrong = Counter()
        Threads.run(4) { number in
            for _ in 0..<Soak.rounds(2_000) {
                if number == 0 {
                    let next = counter.next()
                    try? container.register((any Wheels).self, scope: .shared, overriding: true) {
                        _ in Pair(next)
                    }
                    continue
                }
                let before = counter.count
                let count = try? container.borrow((any Wheels).self, \.count)
                // The value may be one that was just being replaced.
                if count.map({ $0 >= before - 1 }) != true { wrong.next() }
            }
        }
        #expect(wrong.count == 0)
        container.reclaim()
    }
}
