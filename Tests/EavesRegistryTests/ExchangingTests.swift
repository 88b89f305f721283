// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesInterface
import EavesRegistry
import Testing

@Suite("Exchanging a module's registrations")
struct ExchangingTests {
    private let container = Container()

    private func wheels(_ count: Int, module: String = "cars") -> StagedRegistrar {
        generation(of: module) { registrar in
            registrar.register((any Wheels).self, scope: .shared) { _ in FixedWheels(count: count) }
        }
    }

    private func count(_ name: String? = nil) throws -> Int {
        try container.resolve((any Wheels).self, name: name).count
    }

    @Test("gives the new generation, and nothing of the old one")
    func replace() throws {
        try wheels(1).commit(to: container)
        #expect(try count() == 1)
        let retired = try wheels(2).replace(in: container)
        #expect(try count() == 2)
        #expect(try container.resolveAll((any Wheels).self).map(\.count) == [2])
        #expect(retired.requests.map(\.service) == ["Wheels"])
        #expect(container.registrations.count == 1)
    }

    @Test("is the first registration of a module that had none")
    func first() throws {
        let retired = try wheels(1).replace(in: container)
        #expect(try count() == 1)
        #expect(retired.requests.isEmpty)
        #expect(retired.isDrained)
    }

    @Test("takes away what the new generation does not register, and leaves other modules alone")
    func shrinking() throws {
        let old = generation(of: "cars") { registrar in
            registrar.register((any Wheels).self) { _ in FixedWheels(count: 1) }
            registrar.register((any Wheels).self, name: "truck") { _ in FixedWheels(count: 6) }
            registrar.decorate((any Wheels).self) { _, inner in
                FixedWheels(count: inner.count + 100)
            }
        }
        try old.commit(to: container)
        try generation(of: "engines") {
            $0.register((any Engine).self, scope: .shared) { _ in NumberedEngine(7) }
        }.commit(to: container)
        let engine = try container.resolve((any Engine).self) as? NumberedEngine
        #expect(try count() == 101)
        _ = try wheels(2).replace(in: container)
        #expect(try count() == 2)
        #expect(try container.resolveIfProvided((any Wheels).self, name: "truck") == nil)
        #expect(try container.resolve((any Engine).self) as? NumberedEngine === engine)
        #expect(container.content.decorators.isEmpty)
    }

    @Test("changes nothing if another module has one of the keys")
    func taken() throws {
        try wheels(1).commit(to: container)
        try generation(of: "engines") {
            $0.register((any Engine).self) { _ in NumberedEngine(7) }
        }.commit(to: container)
        let colliding = generation(of: "cars") { registrar in
            registrar.register((any Wheels).self, scope: .shared) { _ in FixedWheels(count: 2) }
            registrar.register((any Engine).self) { _ in NumberedEngine(8) }
        }
        let error = #expect(throws: RegistrationError.self) {
            _ = try colliding.replace(in: container)
        }
        #expect(error?.problems.count == 1)
        #expect(error?.problems.first?.earlier.module == "engines")
        #expect(try count() == 1)
        #expect(try container.resolve((any Engine).self).id == 7)
    }

    @Test("refuses two registrations of the same key")
    func twice() throws {
        try wheels(1).commit(to: container)
        let doubled = generation(of: "cars") { registrar in
            registrar.register((any Wheels).self) { _ in FixedWheels(count: 2) }
            registrar.register((any Wheels).self) { _ in FixedWheels(count: 3) }
        }
        #expect(throws: RegistrationError.self) { _ = try doubled.replace(in: container) }
        #expect(try count() == 1)
    }

    @Test("leaves an alternative an alternative, and its names names")
    func bindings() throws {
        try wheels(1).commit(to: container)
        let other = wheels(4, module: "trucks")
        try other.commit(to: container, where: { _ in false }, alsoNamed: { _ in ["big"] })
        #expect(try count("big") == 4)
        let retired = try wheels(5, module: "trucks").replace(
            in: container, where: { _ in false }, alsoNamed: { _ in ["big", "huge"] })
        #expect(try count() == 1)
        #expect(try count("big") == 5)
        #expect(try count("huge") == 5)
        #expect(try container.resolveAll((any Wheels).self).map(\.count) == [1, 5])
        #expect(!retired.requests.isEmpty)
    }

    @Test("keeps the order of decorators, the host's among them")
    func decorators() throws {
        func decorated(_ digit: Int) -> StagedRegistrar {
            generation(of: "cars") { registrar in
                registrar.register((any Wheels).self) { _ in FixedWheels(count: digit) }
                registrar.decorate((any Wheels).self) { _, inner in
                    FixedWheels(count: inner.count * 10 + digit)
                }
            }
        }
        try decorated(1).commit(to: container)
        container.decorate((any Wheels).self) { _, inner in
            FixedWheels(count: inner.count * 10 + 9)
        }
        #expect(try count() == 119)
        _ = try decorated(2).replace(in: container)
        #expect(try count() == 229)
    }

    @Test("keeps what the host overrides, and undoing brings back the new generation")
    func overriding() throws {
        try wheels(1).commit(to: container)
        #expect(try count() == 1)
        let registrar = StagedRegistrar(module: nil, settings: Settings())
        registrar.register((any Wheels).self) { _ in FixedWheels(count: 99) }
        let overriding = registrar.override(in: container)
        for generation in 2...4 {
            _ = try wheels(generation).replace(in: container)
            #expect(try count() == 99)
            #expect(try container.resolveAll((any Wheels).self).map(\.count) == [99])
        }
        container.undo(overriding)
        #expect(try count() == 4)
        #expect(container.registrations.count == 1)
    }

    @Test("keeps what the program provided before, and then the module yields")
    func provided() throws {
        try container.register((any Wheels).self, overriding: true) { _ in FixedWheels(count: 99) }
        try wheels(1).commit(to: container)
        _ = try wheels(2).replace(in: container)
        _ = try wheels(3).replace(in: container)
        #expect(try count() == 99)
        #expect(try container.resolveAll((any Wheels).self).map(\.count) == [99, 3])
    }

    @Test("takes away a generation that is overridden, even if the new one does not register it")
    func overriddenIsGone() throws {
        let isGone = Signal("the release of the old generation")
        func load() throws {
            try generation(of: "cars") { registrar in
                registrar.register((any Engine).self, scope: .shared) { _ in WatchedEngine(isGone) }
            }.commit(to: container)
            _ = try container.resolve((any Engine).self)
        }
        try load()
        let registrar = StagedRegistrar(module: nil, settings: Settings())
        registrar.register((any Engine).self) { _ in NumberedEngine(99) }
        let overriding = registrar.override(in: container)
        _ = try wheels(2).replace(in: container)
        isGone.wait()
        #expect(try container.resolve((any Engine).self).id == 99)
        container.undo(overriding)
        #expect(try container.resolveIfProvided((any Engine).self) == nil)
    }

    @Test("is seen by handles, providers and forwardings at their next call")
    func following() throws {
        func both(_ number: Int) -> StagedRegistrar {
            generation(of: "cars") { registrar in
                registrar.register(NumberedEngine.self, scope: .shared) { _ in
                    NumberedEngine(number)
                }
                registrar.forward((any Engine).self, to: NumberedEngine.self) { $0 }
            }
        }
        try both(1).commit(to: container)
        var handle = try container.handle((any Engine).self)
        let provider = container.provider((any Engine).self)
        try handle.borrow { #expect($0.id == 1) }
        #expect(try provider.get().id == 1)
        _ = try both(2).replace(in: container)
        try handle.borrow { #expect($0.id == 2) }
        #expect(try provider.get().id == 2)
        #expect(try container.borrow(NumberedEngine.self) { $0.id } == 2)
    }
}

@Suite("Binding services to other modules")
struct RebindingTests {
    private let container = Container()

    /// Two modules with engines, of which the manifest binds the first.
    private func load(scope: Scope = .shared) throws {
        for (number, module) in ["a", "b"].enumerated() {
            try generation(of: module) { registrar in
                registrar.register((any Engine).self, scope: scope) { _ in
                    NumberedEngine(number + 1)
                }
            }.commit(to: container, where: { _ in module == "a" })
        }
    }

    private func engine(_ name: String? = nil) throws -> NumberedEngine? {
        try container.resolve((any Engine).self, name: name) as? NumberedEngine
    }

    @Test(
        "an implementation that is chosen again has the instances that it had",
        arguments: [Scope.shared, .named("session"), .weak])
    func thereAndBack(scope: Scope) throws {
        try load(scope: scope)
        let a = try engine()
        #expect(a?.id == 1)
        container.rebind(where: { $0.module == "b" })
        let b = try engine()
        #expect(b?.id == 2)
        let all = try container.resolveAll((any Engine).self)
        #expect(all.map { $0 as? NumberedEngine }.elementsEqual([a, b], by: { $0 === $1 }))
        container.rebind(where: { $0.module == "a" })
        #expect(try engine() === a)
        container.rebind(where: { $0.module == "b" })
        #expect(try engine() === b)
    }

    @Test("resolveAll gives the instance that resolve gives later")
    func alternativeFirst() throws {
        try load()
        let all = try container.resolveAll((any Engine).self).map { $0 as? NumberedEngine }
        container.rebind(where: { $0.module == "b" })
        #expect(try engine() === all[1])
    }

    @Test("takes nothing back")
    func nothingRetired() throws {
        try load()
        _ = try engine()
        let retired = container.rebind(where: { $0.module == "b" })
        #expect(retired.requests.isEmpty)
        #expect(retired.living == 0)
    }

    @Test("decides under which names modules answer")
    func names() throws {
        try load()
        #expect(try container.resolveIfProvided((any Engine).self, name: "spare") == nil)
        container.rebind(where: { $0.module == "a" }) { module, _ in module == "b" ? ["spare"] : []
        }
        #expect(try engine()?.id == 1)
        #expect(try engine("spare")?.id == 2)
        container.rebind(where: { $0.module == "b" }) { module, _ in module == "a" ? ["spare"] : []
        }
        #expect(try engine()?.id == 2)
        #expect(try engine("spare")?.id == 1)
        container.rebind(where: { $0.module == "b" })
        #expect(try container.resolveIfProvided((any Engine).self, name: "spare") == nil)
    }

    @Test("keeps what the host overrides, and undoing brings back the chosen one")
    func overriding() throws {
        try load()
        let a = try engine()
        let registrar = StagedRegistrar(module: nil, settings: Settings())
        registrar.register((any Engine).self) { _ in NumberedEngine(99) }
        let overriding = registrar.override(in: container)
        container.rebind(where: { $0.module == "b" })
        #expect(try engine()?.id == 99)
        container.undo(overriding)
        #expect(try engine()?.id == 2)
        #expect(try container.resolveAll((any Engine).self).map(\.id) == [1, 2])
        container.rebind(where: { $0.module == "a" })
        #expect(try engine() === a)
    }

    @Test("keeps decorators, and decorated instances")
    func decorators() throws {
        try load()
        container.decorate((any Engine).self) { _, inner in NumberedEngine(inner.id + 10) }
        let a = try engine()
        #expect(a?.id == 11)
        container.rebind(where: { $0.module == "b" })
        #expect(try engine()?.id == 12)
        // A decorator that comes while a module is not chosen counts for it, too.
        container.decorate((any Engine).self) { _, inner in NumberedEngine(inner.id + 100) }
        container.rebind(where: { $0.module == "a" })
        #expect(try engine()?.id == 111)
    }

    @Test("a scope that is reset is reset for what is not chosen, too")
    func reset() throws {
        try load()
        let a = try engine()
        container.rebind(where: { $0.module == "b" })
        container.reset(.shared)
        container.rebind(where: { $0.module == "a" })
        #expect(try engine() !== a)
    }

    @Test("the earlier one answers if two are chosen, and the host's own before both")
    func both() throws {
        try container.register((any Wheels).self) { _ in FixedWheels(count: 4) }
        try load()
        try generation(of: "b2") {
            $0.register((any Wheels).self) { _ in FixedWheels(count: 6) }
        }.commit(to: container, where: { _ in false })
        container.rebind(where: { _ in true })
        #expect(try engine()?.id == 1)
        #expect(try container.resolve((any Wheels).self).count == 4)
        #expect(try container.resolveAll((any Wheels).self).map(\.count) == [4, 6])
    }

    @Test("holds for awaited services")
    func awaited() async throws {
        for (number, module) in ["a", "b"].enumerated() {
            try generation(of: module) { registrar in
                registrar.registerAsync((any Engine).self, scope: .shared) { _ in
                    NumberedEngine(number + 1)
                }
            }.commit(to: container, where: { _ in module == "a" })
        }
        let a = try await container.resolveAsync((any Engine).self) as? NumberedEngine
        container.rebind(where: { $0.module == "b" }) { module, _ in module == "a" ? ["x"] : [] }
        #expect(try await container.resolveAsync((any Engine).self).id == 2)
        let named = try await container.resolveAsync((any Engine).self, name: "x")
        #expect(named as? NumberedEngine === a)
        container.rebind(where: { $0.module == "a" })
        #expect(try await container.resolveAsync((any Engine).self) as? NumberedEngine === a)
    }
}
