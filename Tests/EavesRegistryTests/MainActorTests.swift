// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesInterface
import EavesRegistry
import Testing

@Suite("factories that run on the main actor")
struct MainActorTests {
    /// An engine that only the main actor may use.
    @MainActor
    final class MainEngine: Engine {
        nonisolated let id: Int

        init(counter: Counter) {
            MainActor.preconditionIsolated()
            id = counter.next()
        }
    }

    private let container = Container()
    private let counter = Counter()

    private func register(_ scope: Scope) throws {
        try container.registerOnMainActor((any Engine).self, scope: scope) { [counter] _ in
            MainEngine(counter: counter)
        }
    }

    @Test("one that is shared runs once under 1,000 tasks")
    func exactlyOnce() async throws {
        try register(.shared)
        let ids = try await withThrowingTaskGroup(of: Int.self) { [container] group in
            for _ in 0..<1_000 {
                group.addTask { try await container.resolveAsync((any Engine).self).id }
            }
            return try await group.reduce(into: Set<Int>()) { $0.insert($1) }
        }
        #expect(ids == [1])
        #expect(counter.count == 1)
        #expect(container.dump.entries.map(\.isMade) == [true])
    }

    @Test("on the main actor they need no awaiting, in each scope")
    @MainActor
    func synchronous() async throws {
        try register(.transient)
        #expect(try container.resolveOnMainActor((any Engine).self).id == 1)
        #expect(try container.resolveOnMainActor((any Engine).self).id == 2)
        container.unregister(module: nil)
        try register(.weak)
        do {
            let engine = try container.resolveOnMainActor((any Engine).self)
            #expect(try container.resolveOnMainActor((any Engine).self).id == engine.id)
        }
        #expect(try container.resolveOnMainActor((any Engine).self).id == 4)
        container.unregister(module: nil)
        try register(.named("trip"))
        #expect(try container.resolveOnMainActor((any Engine).self).id == 5)
        #expect(try await container.resolveAsync((any Engine).self).id == 5)
        container.reset(.named("trip"))
        #expect(try container.resolveOnMainActor((any Engine).self).id == 6)
        container.unregister(module: nil)
        try register(.graph)
        try container.registerOnMainActor([Int].self) { resolver in
            [
                try resolver.resolveOnMainActor((any Engine).self).id,
                try resolver.resolveOnMainActor((any Engine).self).id,
            ]
        }
        #expect(try container.resolveOnMainActor([Int].self) == [7, 7])
        #expect(try await container.resolveAsync([Int].self) == [8, 8])
    }

    @Test("with arguments, from anywhere")
    func arguments() async throws {
        let staged = StagedRegistrar(module: "cars", settings: Settings())
        staged.registerOnMainActor((any Wheels).self) { (_, count: Int, more: Int) in
            MainActor.preconditionIsolated()
            return FixedWheels(count: count + more)
        }
        try staged.commit(to: container)
        #expect(try await container.resolveAsync((any Wheels).self, arguments: 1, 2).count == 3)
        let onMain = try await MainActor.run { [container] in
            try container.resolveOnMainActor((any Wheels).self, arguments: 2, 2).count
        }
        #expect(onMain == 4)
    }

    @Test("synchronous services are resolved there too, and async ones are not")
    @MainActor
    func others() async throws {
        try container.register((any Engine).self) { _ in CountedEngine() }
        try container.registerAsync((any Wheels).self) { _ in FixedWheels(count: 4) }
        #expect(try container.resolveOnMainActor((any Engine).self).id == 1)
        let error = try failure { try container.resolveOnMainActor((any Wheels).self) }
        #expect(error.kind == "needsAwait")
    }

    @Test(
        "`resolve` is an error that says how to ask, whether the instance exists or not",
        arguments: [1, 2])
    func asksElsewhere(turn: Int) async throws {
        try register(.shared)
        if turn == 2 { _ = try await container.resolveAsync((any Engine).self) }
        let error = try failure { try container.resolve((any Engine).self) }
        #expect(error.kind == "needsMainActor")
        #expect(
            error.description.hasPrefix(
                "Engine is created on the main actor: ask for it with 'resolveAsync', or there with "
                    + "'resolveOnMainActor'\n  registered: Engine (host, "))
    }

    @Test("a cycle is an error that shows it, from anywhere")
    func circle() async throws {
        try container.registerOnMainActor((any Car).self, scope: .shared) { resolver in
            SimpleCar(engine: try resolver.resolveOnMainActor((any Engine).self))
        }
        try container.registerOnMainActor((any Engine).self, scope: .shared) { resolver in
            try resolver.resolveOnMainActor((any Car).self).engine
        }
        try container.registerAsync((any Wheels).self) { resolver in
            FixedWheels(count: try await resolver.resolveAsync((any Car).self).engine.id)
        }
        let error = try await failureAsync { try await container.resolveAsync((any Wheels).self) }
        #expect(error.kind == "cycle")
        #expect(
            error.path == ["Wheels", "Car", "Engine", "Car"])
    }

    @Test("one that fails runs again for the next caller")
    func fails() async throws {
        try container.registerOnMainActor((any Engine).self, scope: .shared) { [counter] _ in
            if counter.next() == 1 { throw Broken(what: "spark plug") }
            return MainEngine(counter: counter)
        }
        let error = try await failureAsync { try await container.resolveAsync((any Engine).self) }
        #expect(error.kind == "factoryFailed")
        #expect(try await container.resolveAsync((any Engine).self).id == 3)
    }
}
