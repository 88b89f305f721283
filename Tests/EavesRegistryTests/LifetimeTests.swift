// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesInterface
import EavesRegistry
import Testing

@Suite("Lifetimes")
struct LifetimeTests {
    @Test("a container ends with its last reference, and its instances with it")
    func container() throws {
        weak var ended: Container?
        weak var engine: CountedEngine?
        do {
            let container = Container()
            ended = container
            try container.register((any Engine).self, scope: .shared) { _ in CountedEngine() }
            engine = try container.resolve((any Engine).self) as? CountedEngine
            #expect(engine != nil)
        }
        #expect(ended == nil)
        #expect(engine == nil)
    }

    @Test("a resolver that was kept keeps the container")
    func keptResolver() throws {
        final class Keeper: Car {
            let resolver: any Resolver
            var engine: any Engine {
                (try? resolver.resolve((any Engine).self)) ?? CountedEngine(counter: Counter())
            }
            init(_ resolver: any Resolver) { self.resolver = resolver }
        }
        weak var ended: Container?
        var car: (any Car)?
        do {
            let container = Container()
            ended = container
            let counter = Counter()
            counter.next()
            try container.registerEngine(counting: counter)
            try container.register((any Car).self) { Keeper($0) }
            car = try container.resolve((any Car).self)
        }
        #expect(ended != nil)
        #expect(car?.engine.id == 2)
        car = nil
        #expect(ended == nil)
    }

    @Test("a table that grows keeps everything in it")
    func growth() throws {
        let container = Container()
        for number in 0..<5_000 {
            try container.register((any Wheels).self, name: "\(number)") { _ in
                FixedWheels(count: number)
            }
        }
        for number in 0..<5_000 {
            #expect(try container.resolve((any Wheels).self, name: "\(number)").count == number)
        }
    }
}
