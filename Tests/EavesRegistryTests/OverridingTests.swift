// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesInterface
import EavesRegistry
import EavesTestSupport
import Testing

@Suite("Undoing what was overridden")
struct UndoingTests {
    private let container = Container()

    private func override(_ register: (StagedRegistrar) -> Void) -> Overriding {
        let staged = StagedRegistrar(module: nil, settings: Settings())
        register(staged)
        return staged.override(in: container)
    }

    private func count() throws -> Int { try container.resolve((any Wheels).self).count }

    private func mock(_ count: Int) -> Overriding {
        override { $0.register((any Wheels).self) { _ in FixedWheels(count: count) } }
    }

    @Test("puts back the registration with the instance that it had")
    func instance() throws {
        let counter = Counter()
        try container.registerEngine(.shared, counting: counter)
        #expect(try container.resolve((any Engine).self).id == 1)
        let mock = override {
            $0.register((any Engine).self) { _ in CountedEngine(counter: counter) }
        }
        #expect(try container.resolve((any Engine).self).id == 2)
        container.undo(mock)
        #expect(try container.resolve((any Engine).self).id == 1)
        container.undo(mock)
        #expect(try container.resolve((any Engine).self).id == 1)
        #expect(container.registrations.count == 1)
    }

    @Test("works in any order")
    func order() throws {
        try container.register((any Wheels).self) { _ in FixedWheels(count: 4) }
        let (first, second, third) = (mock(1), mock(2), mock(3))
        #expect(try count() == 3)
        container.undo(second)
        #expect(try count() == 3)
        container.undo(third)
        #expect(try count() == 1)
        container.undo(first)
        #expect(try count() == 4)
    }

    @Test("leaves nothing where nothing was")
    func nothing() throws {
        let mock = mock(1)
        #expect(try count() == 1)
        #expect(throws: RegistrationError.self) {
            try container.register((any Wheels).self) { _ in FixedWheels(count: 4) }
        }
        container.undo(mock)
        #expect(try container.resolveIfProvided((any Wheels).self) == nil)
        #expect(container.registrations.isEmpty)
    }

    @Test("gives a module its place that registered meanwhile")
    func yielded() throws {
        let mock = mock(1)
        let staged = StagedRegistrar(module: "cars", settings: Settings())
        staged.register((any Wheels).self) { _ in FixedWheels(count: 4) }
        try staged.commit(to: container)
        #expect(try count() == 1)
        #expect(try container.resolveAll((any Wheels).self).map(\.count) == [1, 4])
        container.undo(mock)
        #expect(try count() == 4)
        #expect(try container.resolveAll((any Wheels).self).map(\.count) == [4])
        #expect(container.unregister(module: "cars").count == 1)
        #expect(container.registrations.isEmpty)
    }

    @Test("does not bring back a module that was taken back meanwhile")
    func unregistered() throws {
        let isGone = Signal()
        // The registrar itself keeps what it registers.
        func load() throws {
            let staged = StagedRegistrar(module: "cars", settings: Settings())
            staged.register((any Engine).self, scope: .shared) { _ in WatchedEngine(isGone) }
            try staged.commit(to: container)
        }
        try load()
        _ = try container.resolve((any Engine).self)
        let mock = override { $0.register((any Engine).self) { _ in CountedEngine() } }
        container.unregister(module: "cars")
        container.undo(mock)
        #expect(try container.resolveIfProvided((any Engine).self) == nil)
        isGone.wait()
    }

    @Test("takes away the decorators that came with it")
    func decorators() throws {
        try container.register((any Wheels).self) { _ in FixedWheels(count: 4) }
        let doubled = override {
            $0.decorate((any Wheels).self) { _, wheels in FixedWheels(count: wheels.count * 2) }
        }
        #expect(try count() == 8)
        container.undo(doubled)
        #expect(try count() == 4)
    }

    @Test("a scope that is reset meanwhile is reset for what comes back, too")
    func reset() throws {
        let counter = Counter()
        try container.registerEngine(.shared, counting: counter)
        #expect(try container.resolve((any Engine).self).id == 1)
        let mock = override { $0.register((any Engine).self) { _ in CountedEngine() } }
        container.reset(.shared)
        container.undo(mock)
        #expect(try container.resolve((any Engine).self).id == 2)
    }
}

@Suite("Overriding")
struct OverridingTests {
    private let container = Container()

    @Test("the later registration counts if it says so")
    func override() throws {
        try container.register((any Wheels).self, scope: .shared) { _ in FixedWheels(count: 4) }
        try container.register((any Wheels).self, name: "truck") { _ in FixedWheels(count: 6) }
        #expect(try container.resolve((any Wheels).self).count == 4)
        try container.register((any Wheels).self, overriding: true) { _ in FixedWheels(count: 3) }
        #expect(try container.resolve((any Wheels).self).count == 3)
        #expect(try container.resolve((any Wheels).self, name: "truck").count == 6)
        #expect(container.registrations.count == 2)
    }

    @Test("only resolveAll finds what modules register later, also after a reset")
    func lasting() throws {
        try container.register((any Wheels).self, scope: .shared, overriding: true) { _ in
            FixedWheels(count: 3)
        }
        #expect(container.hasOwn { $0.service == "Wheels" })
        #expect(!container.hasOwn { $0.service == "Engine" })
        container.reset(.shared)
        let staged = StagedRegistrar(module: "cars", settings: Settings())
        staged.register((any Wheels).self) { _ in FixedWheels(count: 4) }
        staged.register((any Engine).self) { _ in CountedEngine() }
        try staged.commit(to: container)
        #expect(try container.resolve((any Wheels).self).count == 3)
        #expect(try container.resolveAll((any Wheels).self).map(\.count) == [3, 4])
        #expect(try container.resolve((any Engine).self).id == 1)
        #expect(!container.hasOwn { $0.service == "Engine" })
        #expect(throws: RegistrationError.self) { try staged.commit(to: container) }
    }

    @Test("overrides a service and decorates others in one step")
    func decorating() throws {
        try container.register((any Wheels).self) { _ in FixedWheels(count: 4) }
        try container.register((any Wheels).self, name: "truck") { _ in FixedWheels(count: 6) }
        try container.register(overriding: true) { registrar in
            registrar.register((any Wheels).self) { _ in FixedWheels(count: 3) }
            registrar.decorate((any Wheels).self, name: "truck") { _, inner in
                FixedWheels(count: inner.count + 100)
            }
        }
        #expect(try container.resolve((any Wheels).self).count == 3)
        #expect(try container.resolve((any Wheels).self, name: "truck").count == 106)
    }
}
