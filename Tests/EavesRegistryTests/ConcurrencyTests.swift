// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesInterface
import EavesRegistry
import EavesTestSupport
import Testing

@Suite("Many threads at once")
struct ConcurrencyTests {
    private let container = Container()

    @Test("a shared factory runs once under 100 threads")
    func exactlyOnce() throws {
        for _ in 0..<Soak.rounds(50) {
            let container = Container()
            let counter = Counter()
            try container.registerEngine(.shared, counting: counter)
            let wrong = Counter()
            Threads.run(100) { _ in
                if (try? container.resolve((any Engine).self))?.id != 1 { wrong.next() }
            }
            #expect(counter.count == 1)
            #expect(wrong.count == 0)
        }
    }

    @Test("a slow factory delays only those who want its instance")
    func slowFactory() throws {
        let started = Signal()
        let release = Signal()
        try container.register((any Engine).self, scope: .shared) { _ in
            started.signal()
            release.wait()
            return CountedEngine()
        }
        try container.register((any Wheels).self, scope: .shared) { _ in FixedWheels(count: 4) }
        let done = Signal()
        Threads.start {
            _ = try? container.resolve((any Engine).self); done.signal()
        }
        started.wait()
        // With the engine's factory still running, this would hang if it were delayed.
        #expect(try container.resolve((any Wheels).self).count == 4)
        release.signal()
        done.wait()
    }

    @Test(
        "two threads that create what the other one needs get an error instead of waiting for ever")
    func crossedCycle() throws {
        for _ in 0..<Soak.rounds(200) {
            let container = Container()
            let meet = Meeting()
            try container.register((any Car).self, scope: .shared) { resolver in
                meet.wait()
                return SimpleCar(engine: try resolver.resolve((any Engine).self))
            }
            #expect(try container.failures(ofCrossing: meet) == 2)
        }
    }

    @Test("two threads that need the same two services in opposite order both get them")
    func oppositeOrder() throws {
        for _ in 0..<Soak.rounds(200) {
            let container = Container()
            let meet = Meeting()
            try container.register((any Engine).self, scope: .shared) { _ in
                meet.wait()
                return CountedEngine()
            }
            try container.register((any Wheels).self, scope: .shared) { _ in
                meet.wait()
                return FixedWheels(count: 4)
            }
            let failures = Threads.failures {
                _ = try container.resolve((any Engine).self)
                _ = try container.resolve((any Wheels).self)
            } and: {
                _ = try container.resolve((any Wheels).self)
                _ = try container.resolve((any Engine).self)
            }
            #expect(failures == 0)
        }
    }

    @Test("resolving while others register is safe")
    func registeringMeanwhile() throws {
        try container.register((any Wheels).self, scope: .shared) { _ in FixedWheels(count: 4) }
        let wrong = Counter()
        Threads.run(8) { number in
            for turn in 0..<200 {
                if number == 0 {
                    let staged = StagedRegistrar(module: "cars", settings: Settings())
                    staged.register((any Engine).self, name: "\(turn)") { _ in CountedEngine() }
                    do { try staged.commit(to: container) } catch { wrong.next() }
                } else if (try? container.resolve((any Wheels).self))?.count != 4 {
                    wrong.next()
                }
            }
        }
        #expect(wrong.count == 0)
        #expect(try container.resolve((any Engine).self, name: "199").id == 1)
    }
}
