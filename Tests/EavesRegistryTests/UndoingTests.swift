// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesInterface
import EavesRegistry
import Testing

@Suite("Undoing what was overridden")
struct UndoingTests {
    private let container = Container()

    private func override(_ register: (StagedRegistrar) -> Void) -> Overriding {
        let staged = StagedRegistrar(module: nil, settings: Settings())
        register(staged)
        return staged.override(in: container, isUndoable: true)
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
