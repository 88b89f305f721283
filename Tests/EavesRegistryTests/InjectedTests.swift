// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesInterface
import EavesRegistry
import EavesTestSupport
import Testing

/// A car whose engine is injected.
private struct InjectedCar: Car {
    @Injected var engine: any Engine
}

private struct NamedCar: Car {
    @Injected(name: "turbo") var engine: any Engine
}

private final class ObjectCar: Car {
    private let injected = Injected<any Engine>()
    var engine: any Engine { injected.wrappedValue }
}

@Suite("Injected properties", .promptly)
struct InjectedTests {
    private let container = Container()

    @Test("are resolved when the object is created, named and unnamed, in structs and objects")
    func resolved() throws {
        let counter = Counter()
        try container.registerEngine(counting: counter)
        try container.registerEngine(name: "turbo", counting: counter)
        try container.register((any Car).self) { _ in InjectedCar() }
        try container.register((any Car).self, name: "turbo") { _ in NamedCar() }
        try container.register((any Car).self, name: "object", scope: .shared) { _ in ObjectCar() }
        let car = try container.resolve((any Car).self)
        #expect(counter.count == 1)
        #expect(car.engine.id == 1)
        #expect(car.engine.id == 1)
        #expect(try container.resolve((any Car).self, name: "turbo").engine.id == 2)
        #expect(try container.resolve((any Car).self, name: "object").engine.id == 3)
        #expect(try container.resolve((any Car).self, name: "object").engine.id == 3)
    }

    @Test("come from the container whose factory runs, not from the one that was asked")
    func children() throws {
        let child = Container(parent: container)
        let counter = Counter()
        try container.registerEngine(counting: counter)
        try child.register((any Engine).self) { _ in CountedEngine() }
        try container.register((any Car).self) { _ in InjectedCar() }
        try child.register((any Car).self, name: "own") { _ in InjectedCar() }
        #expect(try child.resolve((any Car).self).engine.id == 1)
        #expect(counter.count == 1)
        #expect(try child.resolve((any Car).self, name: "own").engine.id == 1)
        #expect(counter.count == 1)
    }

    @Test("take part in the graph of the resolution")
    func graph() throws {
        let counter = Counter()
        try container.registerEngine(.graph, counting: counter)
        try container.register((any Car).self) { resolver in
            let car = InjectedCar()
            let engine = try resolver.resolve((any Engine).self)
            #expect(engine.id == car.engine.id)
            return car
        }
        _ = try container.resolve((any Car).self)
        #expect(counter.count == 1)
    }

    @Test(
        "that cannot be injected fail the factory, with the error and the chain, in every scope",
        arguments: [Scope.transient, .graph, .shared, .weak])
    func failing(scope: Scope) throws {
        let runs = Counter()
        try container.register((any Car).self, scope: scope) { _ in
            runs.next()
            return InjectedCar()
        }
        for _ in 1...2 {
            let error = try failure { try container.resolve((any Car).self) }
            #expect(error.kind == "notRegistered")
            #expect(error.wanted.service == "Engine")
            #expect(error.chain.map(\.service) == ["Car"])
        }
        #expect(runs.count == 2)
        try container.register((any Engine).self) { _ in CountedEngine() }
        #expect(try container.resolve((any Car).self).engine.id == 1)
    }

    @Test(
        "that fail in a nested factory fail that one, and a factory that catches the error goes on")
    func nested() throws {
        try container.register((any Car).self, name: "broken") { _ in InjectedCar() }
        try container.register((any Car).self) { resolver in
            do {
                _ = try resolver.resolve((any Car).self, name: "broken")
                Issue.record("expected an error")
            } catch let error as ResolutionError {
                #expect(error.chain.map(\.description) == ["Car", "Car named 'broken'"])
            }
            return SimpleCar(engine: CountedEngine())
        }
        #expect(try container.resolve((any Car).self).engine.id == 1)
    }

    @Test("that failed are an error of their own factory, not of one that it asks meanwhile")
    func outer() throws {
        try container.register((any Wheels).self) { _ in FixedWheels(count: 4) }
        let seen = Counter()
        try container.register((any Car).self) { resolver in
            let car = InjectedCar()
            if try resolver.resolve((any Wheels).self).count == 4 { seen.next() }
            return car
        }
        let error = try failure { try container.resolve((any Car).self) }
        #expect(error.wanted.service == "Engine")
        #expect(seen.count == 1)
    }

    @Test(
        "are resolved in factories that are awaited, and in tasks that these start",
        arguments: [
            Scope.transient, .shared, .graph,
        ])
    func awaited(scope: Scope) async throws {
        try container.register((any Engine).self) { _ in CountedEngine() }
        try container.registerAsync((any Car).self, scope: scope) { _ in
            await Task.yield()
            async let other = Task { InjectedCar().engine.id }.value
            #expect(await other == 1)
            return InjectedCar()
        }
        try container.registerOnMainActor((any Car).self, name: "main") { _ in InjectedCar() }
        #expect(try await container.resolveAsync((any Car).self).engine.id == 1)
        #expect(try await container.resolveAsync((any Car).self, name: "main").engine.id == 1)
    }

    @Test(
        "that cannot be injected fail a factory that is awaited",
        arguments: [
            Scope.transient, .shared, .graph,
        ])
    func awaitedFailing(scope: Scope) async throws {
        try container.registerAsync((any Car).self, scope: scope) { _ in
            await Task.yield()
            return InjectedCar()
        }
        for _ in 1...2 {
            let error = try await failureAsync { try await container.resolveAsync((any Car).self) }
            #expect(error.wanted.service == "Engine")
            #expect(error.chain.map(\.service) == ["Car"])
        }
        try container.register((any Engine).self) { _ in CountedEngine() }
        #expect(try await container.resolveAsync((any Car).self).engine.id == 1)
    }

    @Test("of a service that has to be awaited fail, since a property cannot wait")
    func needsAwait() async throws {
        try container.register((any Engine).self) { _ in
            struct Needy { @Injected var wheels: any Wheels }
            _ = Needy()
            return CountedEngine()
        }
        try container.registerAsync((any Wheels).self) { _ in FixedWheels(count: 4) }
        try container.registerAsync((any Car).self) { _ in InjectedCar() }
        let error = try await failureAsync { try await container.resolveAsync((any Car).self) }
        #expect(error.kind == "needsAwait")
        #expect(error.chain.map(\.service) == ["Car", "Engine"])
    }

    @Test("that fail after another one in the same factory are not the error")
    func first() throws {
        struct Garage: Car {
            @Injected var engine: any Engine
            @Injected var wheels: any Wheels
        }
        try container.register((any Car).self) { _ in Garage() }
        let error = try failure { try container.resolve((any Car).self) }
        #expect(error.wanted.service == "Engine")
    }

    @Test("are forgotten when the factory throws another error")
    func throwing() throws {
        try container.register((any Car).self) { _ in
            _ = InjectedCar()
            throw Broken(what: "door")
        }
        try container.register((any Wheels).self) { _ in FixedWheels(count: 4) }
        let error = try failure { try container.resolve((any Car).self) }
        #expect(error.kind == "factoryFailed")
        #expect(error.broken?.what == "door")
        #expect(try container.resolve((any Wheels).self).count == 4)
    }

    @Test("are dropped with the object whose injection failed")
    func dropped() throws {
        struct Bus: Car {
            let passenger: Ending
            @Injected var engine: any Engine
        }
        let dropped = Counter()
        try container.register((any Car).self, scope: .shared) { _ in
            Bus(passenger: Ending(dropped))
        }
        #expect(throws: ResolutionError.self) { try container.resolve((any Car).self) }
        #expect(dropped.count == 1)
    }

    @Test("of many threads do not disturb each other")
    func threads() throws {
        try container.register((any Engine).self, name: "turbo") { _ in CountedEngine() }
        try container.register((any Car).self) { _ in InjectedCar() }
        try container.register((any Car).self, name: "turbo") { _ in NamedCar() }
        let wrong = Counter()
        let container = container
        Threads.run(100) { number in
            for _ in 0..<100 {
                if number % 2 == 0 {
                    if (try? container.resolve((any Car).self)) != nil { wrong.next() }
                } else if (try? container.resolve((any Car).self, name: "turbo"))?.engine.id != 1 {
                    wrong.next()
                }
            }
        }
        #expect(wrong.count == 0)
    }

    @Test("that failed end the process with the whole error when they are read")
    func trapsWhenFailed() async throws {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            let container = Container()
            try container.register((any Car).self) { _ in
                let car = InjectedCar()
                _ = car.engine
                return car
            }
            _ = try container.resolve((any Car).self)
        }
        let said = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(said.contains("no provider for Engine"))
        #expect(said.contains("needed by: Car → Engine"))
    }

    @Test("of an object that no factory created end the process with the reason when they are read")
    func trapsOutside() async throws {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            let container = Container()
            try container.register((any Engine).self) { _ in CountedEngine() }
            _ = InjectedCar().engine
        }
        let said = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(said.contains("an @Injected Engine was read in an object that no factory created"))
        #expect(said.contains("in a detached task, or on a thread that a factory has started"))
    }
}
