// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesInterface
import EavesRegistry
import EavesTestSupport
import Testing

/// A car that can do without wheels, and that starts its engines later.
private struct ThriftyCar: Car {
    @Injected var wheels: (any Wheels)?
    @Injected var lazy: Lazy<any Engine>
    @Injected(name: "turbo") var provider: Provider<any Engine>

    var engine: any Engine { CountedEngine() }
}

private struct PlainCar: Car {
    @Injected var engine: any Engine
    @Injected var wheels: (any Wheels)?
}

@Suite("Injected properties of other types than a service", .promptly)
struct InjectedFormTests {
    private let container = Container()
    private let counter = Counter()

    private func car() throws -> ThriftyCar {
        try #require(try container.resolve((any Car).self) as? ThriftyCar)
    }

    private func registerEngines() throws {
        try container.register((any Engine).self) { [counter] _ in CountedEngine(counter: counter) }
        try container.register((any Engine).self, name: "turbo") { [counter] _ in
            CountedEngine(counter: counter)
        }
    }

    @Test("an optional is nil if nothing provides the service, and the service otherwise")
    func optional() throws {
        try container.register((any Car).self) { _ in ThriftyCar() }
        #expect(try car().wheels == nil)
        try container.register((any Wheels).self) { _ in FixedWheels(count: 4) }
        #expect(try car().wheels?.count == 4)
    }

    @Test("an optional whose service cannot be created fails the factory")
    func optionalFailing() throws {
        try container.register((any Wheels).self) { _ in throw Broken(what: "tyre") }
        try container.register((any Car).self) { _ in ThriftyCar() }
        let error = try #require(throws: ResolutionError.self) { try car() }
        #expect(error.wanted.service == "Wheels")
        #expect(error.chain.map(\.service) == ["Car"])
    }

    @Test("a Lazy resolves at its first use and keeps the service, a Provider asks at each use")
    func later() throws {
        try registerEngines()
        try container.register((any Car).self) { _ in ThriftyCar() }
        let car = try car()
        #expect(counter.count == 0)
        #expect(try car.lazy().id == 1)
        #expect(try car.lazy().id == 1)
        #expect(try car.provider().id == 2)
        #expect(try car.provider().id == 3)
    }

    @Test("all of them work in factories that are awaited, and in tasks that these start")
    func awaited() async throws {
        try registerEngines()
        try container.register((any Wheels).self) { _ in FixedWheels(count: 3) }
        try container.registerAsync((any Car).self, scope: .shared) { _ in
            await Task.yield()
            return try await Task { () throws -> ThriftyCar in
                let car = ThriftyCar()
                #expect(try car.provider().id == 1)
                return car
            }.value
        }
        let car = try #require(try await container.resolveAsync((any Car).self) as? ThriftyCar)
        #expect(car.wheels?.count == 3)
        #expect(try car.lazy().id == 2)
        #expect(try car.provider().id == 3)
    }

    @Test("an object that is made by hand has the services that it is given")
    func given() {
        let car = PlainCar(
            engine: .given(CountedEngine()), wheels: .given(FixedWheels(count: 6)))
        #expect(car.engine.id == 1)
        #expect(car.wheels?.count == 6)
        #expect(PlainCar(engine: .given(CountedEngine()), wheels: .given(nil)).wheels == nil)
    }

    @Test("an initialiser of one's own takes the services as they are")
    func ownInitialiser() {
        struct Van: Car {
            @Injected var engine: any Engine

            init(engine: any Engine) {
                self.engine = engine
            }
        }
        #expect(Van(engine: CountedEngine()).engine.id == 1)
    }

    @Test("a service can be set, also after it was resolved, and changes no other object")
    func set() throws {
        var car = PlainCar()
        car.engine = CountedEngine()
        #expect(car.engine.id == 1)
        try container.register((any Engine).self) { _ in CountedEngine() }
        try container.register((any Car).self) { _ in PlainCar() }
        let first = try #require(try container.resolve((any Car).self) as? PlainCar)
        var second = first
        let counter = Counter()
        counter.next()
        second.engine = CountedEngine(counter: counter)
        #expect(first.engine.id == 1)
        #expect(second.engine.id == 2)
    }

    @Test("an object that is made by hand asks nobody, also while a factory runs")
    func givenInFactory() throws {
        try container.register((any Car).self) { _ in
            PlainCar(engine: .given(CountedEngine()), wheels: .given(nil))
        }
        #expect(try container.resolve((any Car).self).engine.id == 1)
    }

    @Test("one that was given nothing names the service behind the optional when it is read")
    func trapsOutside() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            _ = PlainCar(engine: .given(CountedEngine())).wheels
        }
        let said = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(said.contains("an @Injected Wheels was read in an object that no factory created"))
    }
}
