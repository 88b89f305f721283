// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesInterface
import EavesRegistry
import Testing

@Suite("awaited factories")
struct AsyncFactoryTests {
    private let container = Container()

    @Test("services are awaited, with their needs, names and arguments")
    func needs() async throws {
        let staged = StagedRegistrar(module: "cars", settings: Settings())
        staged.registerAsync((any Car).self) { resolver in
            SimpleCar(engine: try await resolver.resolveAsync((any Engine).self, name: "diesel"))
        }
        staged.registerAsync((any Engine).self, name: "diesel") { _ in
            await Task.yield()
            return CountedEngine()
        }
        staged.registerAsync((any Wheels).self) { (_, count: Int, more: Int) in
            FixedWheels(count: count + more)
        }
        try staged.commit(to: container)
        #expect(try await container.resolveAsync((any Car).self).engine.id == 1)
        #expect(try await container.resolveAsync((any Wheels).self, arguments: 3, 1).count == 4)
    }

    @Test("synchronous services are asked for in the same way")
    func synchronous() async throws {
        try container.register((any Engine).self, scope: .shared) { _ in CountedEngine() }
        let staged = StagedRegistrar(module: "cars", settings: Settings())
        staged.register((any Wheels).self) { (_, count: Int) in FixedWheels(count: count) }
        try staged.commit(to: container)
        let engine = try await container.resolveAsync((any Engine).self)
        #expect(engine as AnyObject === (try container.resolve((any Engine).self)) as AnyObject)
        #expect(try await container.resolveAsync((any Wheels).self, arguments: 4).count == 4)
    }

    @Test(
        "tasks that want a service which a thread is creating are suspended, and can be cancelled")
    func madeMeanwhile() async throws {
        let (hasBegun, mayEnd) = (Gate(), Signal())
        let tries = Counter()
        try container.register((any Engine).self, scope: .shared) { _ in
            if tries.next() > 1 { return CountedEngine() }
            hasBegun.open()
            mayEnd.wait()
            throw Broken(what: "spark plug")
        }
        Threads.start { _ = try? container.resolve((any Engine).self) }
        let executor = ThreadExecutor()
        await withTaskExecutorPreference(executor) {
            await hasBegun.wait()
            // More tasks than there are threads to be blocked.
            let tasks = (0..<1_000).map { _ in
                Task(executorPreference: executor) {
                    try await container.resolveAsync((any Engine).self).id
                }
            }
            for task in tasks[..<500] { task.cancel() }
            for task in tasks[..<500] {
                let error = await #expect(throws: ResolutionError.self) { try await task.value }
                #expect(error?.kind == "cancelled")
            }
            mayEnd.signal()
            for task in tasks[500...] {
                let id = try? await task.value
                #expect(id == 1)
            }
        }
        #expect(tries.count == 2)
    }

    @Test(
        "asking without awaiting is an error that says how to ask, whether the instance exists or not",
        arguments: [Scope.transient, .graph, .shared, .weak, .named("trip")])
    func asksWithoutAwaiting(scope: Scope) async throws {
        let staged = StagedRegistrar(module: "cars", settings: Settings())
        staged.registerAsync((any Engine).self, scope: scope) { _ in CountedEngine() }
        staged.register((any Car).self) { resolver in
            SimpleCar(engine: try resolver.resolve((any Engine).self))
        }
        try staged.commit(to: container)
        for _ in 0..<2 {
            let error = try failure { try container.resolve((any Car).self) }
            #expect(error.kind == "needsAwait")
            #expect(error.chain.map(\.service) == ["Car"])
            let place = try #require(error.candidates.first)
            #expect(place.hasPrefix("Engine (cars, EavesRegistryTests/AsyncFactoryTests.swift:"))
            #expect(
                error.description.hasPrefix(
                    "Engine has to be awaited: ask for it with 'resolveAsync'\n"
                        + "  needed by: Car → Engine\n  registered: Engine (cars, "))
            _ = try await container.resolveAsync((any Engine).self)
        }
    }

    @Test(
        "one is a duplicate of a synchronous factory of the same service, and looks the same in the dump"
    )
    func duplicate() async throws {
        try container.registerAsync((any Engine).self, scope: .shared) { _ in CountedEngine() }
        #expect(throws: RegistrationError.self) {
            try container.register((any Engine).self) { _ in CountedEngine() }
        }
        #expect(container.dump.entries.map(\.service) == ["EavesRegistryTests.Engine"])
        #expect(container.dump.entries.map(\.isMade) == [false])
        _ = try await container.resolveAsync((any Engine).self)
        #expect(container.dump.entries.map(\.isMade) == [true])
        #expect(container.unregister((any Engine).self))
        let error = try await failureAsync { try await container.resolveAsync((any Engine).self) }
        #expect(error.kind == "notRegistered")
    }

    @Test("the supplier is asked, and the parent's factories see the parent")
    func suppliers() async throws {
        let asked = Counter()
        let parent = Container { request, container in
            asked.next()
            try container.registerAsync((any Engine).self, scope: .shared) { resolver in
                let wheels = try await resolver.resolveAsync((any Wheels).self).count
                return CountedEngine(counter: Counter(from: wheels))
            }
            return request.service == "Engine"
        }
        try parent.registerAsync((any Wheels).self) { _ in FixedWheels(count: 4) }
        let child = Container(parent: parent)
        try child.registerAsync((any Wheels).self) { _ in FixedWheels(count: 2) }
        #expect(try await child.resolveAsync((any Engine).self).id == 5)
        #expect(try await child.resolveAsync((any Wheels).self).count == 2)
        #expect(asked.count == 1)
        let failing = Container { _, _ in throw Broken(what: "module") }
        let error = try await failureAsync { try await failing.resolveAsync((any Engine).self) }
        #expect(error.kind == "moduleFailed")
    }

    @Test("a detached task that asks the factory's resolver is a part of the resolution")
    func detached() async throws {
        let counter = Counter()
        try container.registerEngine(.graph, counting: counter)
        try container.registerAsync((any Car).self) { resolver in
            let engine = try resolver.resolve((any Engine).self)
            let other = try await Task.detached { try resolver.resolve((any Engine).self) }.value
            #expect(other.id == engine.id)
            let error = try await failureAsync {
                try await Task.detached { try resolver.resolve((any Wheels).self) }.value
            }
            #expect(error.chain.map(\.service) == ["Car"])
            return SimpleCar(engine: engine)
        }
        #expect(try await container.resolveAsync((any Car).self).engine.id == 1)
    }

    @Test("errors have the whole chain, across tasks and synchronous factories")
    func chain() async throws {
        try container.registerCarAsync(.shared)
        try container.registerAsync((any Engine).self, scope: .shared) { resolver in
            async let wheels = resolver.resolveAsync((any Wheels).self)
            return CountedEngine(counter: Counter(from: try await wheels.count))
        }
        try container.register((any Wheels).self) { resolver in
            try resolver.resolve((any Wheels).self, name: "spare")
        }
        for _ in 0..<2 {
            let error = try await failureAsync { try await container.resolveAsync((any Car).self) }
            #expect(error.chain.map(\.service) == ["Car", "Engine", "Wheels"])
            #expect(error.wanted.description == "Wheels named 'spare'")
            #expect(error.candidates.count == 1)
        }
    }
}
