// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

@_spi(Containers) import EavesInterface
import EavesRegistry
import EavesTestSupport
import Synchronization
import Testing

@Suite("Handles", .patiently)
struct HandleTests {
    private let container = Container()

    @Test("give the registration that replaced the old one")
    func overriding() throws {
        try container.register((any Wheels).self, scope: .shared) { _ in FixedWheels(count: 4) }
        try container.register((any Wheels).self, name: "spare") { _ in FixedWheels(count: 1) }
        var handle = try container.handle((any Wheels).self)
        var spare = try container.handle((any Wheels).self, name: "spare")
        try container.register((any Wheels).self, scope: .shared, overriding: true) { _ in
            FixedWheels(count: 3)
        }
        #expect(try handle.borrow(\.count) == 3)
        #expect(try spare.borrow(\.count) == 1)
    }

    @Test("keep the service that they resolved after a change, also if the first call of it fails")
    func failingCall() throws {
        struct Broken: Error {}
        let counter = Counter()
        try container.registerEngine(counting: counter)
        var handle = try container.handle((any Engine).self)
        try container.register((any Wheels).self) { _ in FixedWheels(count: 4) }
        #expect(throws: Broken.self) { try handle.borrow { _ in throw Broken() } }
        #expect(try handle.borrow(\.id) == 2)
        #expect(counter.count == 2)
    }

    @Test("ask again after a scope was reset")
    func reset() throws {
        let counter = Counter()
        try container.registerEngine(.named("session"), counting: counter)
        var handle = try container.handle((any Engine).self)
        container.reset(.named("session"))
        #expect(try handle.borrow(\.id) == 2)
    }

    @Test("fail when the service was unregistered, and work again when it is registered again")
    func unregistered() throws {
        try container.register((any Wheels).self) { _ in FixedWheels(count: 4) }
        var handle = try container.handle((any Wheels).self)
        container.unregister((any Wheels).self)
        for _ in 0..<2 {
            do {
                _ = try handle.borrow(\.count)
                Issue.record("it is not registered any more")
            } catch let error as ResolutionError {
                #expect(error.description == "no provider for Wheels")
            }
        }
        try container.register((any Wheels).self) { _ in FixedWheels(count: 6) }
        #expect(try handle.borrow(\.count) == 6)
    }

    @Test("of a child see changes in the child and its parents")
    func family() throws {
        let parent = Container()
        let child = Container(parent: parent)
        try parent.register((any Wheels).self) { _ in FixedWheels(count: 4) }
        var handle = try child.handle((any Wheels).self)
        try parent.register((any Wheels).self, overriding: true) { _ in FixedWheels(count: 5) }
        #expect(try handle.borrow(\.count) == 5)
        try child.register((any Wheels).self) { _ in FixedWheels(count: 6) }
        #expect(try handle.borrow(\.count) == 6)
    }

    @Test(
        "count changes through every resolver that a factory is given, and not through a weak one")
    func counters() async throws {
        let changes = try #require(container.changes)
        try container.register((any Wheels).self) { resolver in
            #expect(resolver.changes === changes)
            return FixedWheels(count: 4)
        }
        try container.register((any Engine).self, scope: .shared) { resolver in
            _ = try resolver.resolve((any Wheels).self)
            #expect(resolver.changes === changes)
            #expect(resolver.weaklyHeld.changes == nil)
            return CountedEngine()
        }
        try container.registerAsync((any Car).self) { resolver in
            #expect(resolver.changes === changes)
            return SimpleCar(engine: try resolver.resolve((any Engine).self))
        }
        _ = try await container.resolveAsync((any Car).self)
    }

    @Test("from a factory's resolver outlive the creation")
    func madeInFactory() throws {
        final class Garage: Car {
            let wheels: Mutex<Handle<any Wheels>>
            var engine: any Engine { CountedEngine() }
            init(_ resolver: any Resolver) throws {
                wheels = Mutex(try resolver.handle((any Wheels).self))
            }
        }
        try container.register((any Wheels).self) { _ in FixedWheels(count: 4) }
        try container.register((any Car).self, scope: .shared) { try Garage($0) }
        let garage = try #require(try container.resolve((any Car).self) as? Garage)
        try container.register((any Wheels).self, overriding: true) { _ in FixedWheels(count: 3) }
        #expect(try garage.wheels.withLock { try $0.borrow(\.count) } == 3)
    }

    @Test("never give an instance older than the change that came before the call")
    func racing() throws {
        try container.register((any Wheels).self, scope: .shared) { _ in FixedWheels(count: 0) }
        let published = Atomic(0)
        let wrong = Counter()
        let last = Soak.rounds(500)
        Threads.run(5) { number in
            if number == 0 {
                for count in 1...last {
                    do {
                        try container.register((any Wheels).self, scope: .shared, overriding: true)
                        {
                            _ in FixedWheels(count: count)
                        }
                    } catch { wrong.next() }
                    published.store(count, ordering: .sequentiallyConsistent)
                }
                return
            }
            do {
                var handle = try container.handle((any Wheels).self)
                while true {
                    let before = published.load(ordering: .sequentiallyConsistent)
                    if try handle.borrow(\.count) < before { wrong.next() }
                    if before == last { break }
                }
            } catch { wrong.next() }
        }
        #expect(wrong.count == 0)
    }
}
