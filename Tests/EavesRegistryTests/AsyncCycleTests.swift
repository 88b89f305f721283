// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesInterface
import EavesRegistry
import EavesTestSupport
import Testing

@Suite("cycles of awaited services")
struct AsyncCycleTests {
    private let container = Container()

    /// Checks that asking ends in an error that shows this cycle.
    private func expectCycle(
        _ services: [String], sourceLocation: SourceLocation = #_sourceLocation,
        _ ask: () async throws -> Void
    ) async {
        let error = await #expect(throws: ResolutionError.self, sourceLocation: sourceLocation) {
            try await ask()
        }
        #expect(error?.kind == "cycle", sourceLocation: sourceLocation)
        #expect(error?.path == services, sourceLocation: sourceLocation)
    }

    @Test(
        "a cycle is an error that shows it",
        arguments: [Scope.transient, .graph, .shared, .weak], [Scope.transient, .graph, .shared])
    func circle(car: Scope, engine: Scope) async throws {
        try container.registerCarAsync(car)
        try container.registerAsync((any Engine).self, scope: engine) { [unowned container] _ in
            // In a detached task, and not through the resolver.
            async let car = container.resolveAsync((any Car).self)
            return try await car.engine
        }
        await expectCycle(["Car", "Engine", "Car"]) {
            _ = try await container.resolveAsync((any Car).self)
        }
        await expectCycle(["Engine", "Car", "Engine"]) {
            _ = try await container.resolveAsync((any Engine).self)
        }
    }

    @Test("a cycle through a synchronous factory ends in an error with the chain")
    func mixed() async throws {
        try container.registerAsync((any Car).self, scope: .shared) { resolver in
            SimpleCar(engine: try resolver.resolve((any Engine).self))
        }
        try container.register((any Engine).self, scope: .shared) { resolver in
            try resolver.resolve((any Car).self).engine
        }
        let error = try await failureAsync { try await container.resolveAsync((any Car).self) }
        #expect(error.kind == "needsAwait")
        #expect(error.chain.map(\.service) == ["Car", "Engine"])
    }

    @Test("two tasks that create what the other one needs get an error instead of waiting for ever")
    func crossed() async throws {
        for _ in 0..<Soak.rounds(200) {
            let container = Container()
            let both = Assembly(2)
            try container.registerAsync((any Car).self, scope: .shared) { resolver in
                await both.wait()
                return SimpleCar(engine: try await resolver.resolveAsync((any Engine).self))
            }
            try container.registerAsync((any Engine).self, scope: .shared) { resolver in
                await both.wait()
                return try await resolver.resolveAsync((any Car).self).engine
            }
            let car = Task { try await container.resolveAsync((any Car).self) }
            let engine = Task { try await container.resolveAsync((any Engine).self) }
            await expectCycle(["Car", "Engine", "Car"]) { _ = try await car.value }
            await expectCycle(["Engine", "Car", "Engine"]) { _ = try await engine.value }
        }
    }

    @Test("two tasks that need the same two services in opposite order both get them")
    func oppositeOrder() async throws {
        for _ in 0..<Soak.rounds(200) {
            let container = Container()
            let both = Assembly(2)
            try container.registerAsync((any Engine).self, scope: .shared) { _ in
                await both.wait()
                return CountedEngine()
            }
            try container.registerAsync((any Wheels).self, scope: .shared) { _ in
                await both.wait()
                return FixedWheels(count: 4)
            }
            try container.registerAsync([Int].self, name: "one", scope: .shared) { resolver in
                async let engine = resolver.resolveAsync((any Engine).self).id
                return try await [resolver.resolveAsync((any Wheels).self).count, engine]
            }
            try container.registerAsync([Int].self, name: "other", scope: .shared) { resolver in
                async let wheels = resolver.resolveAsync((any Wheels).self).count
                let engine = try await resolver.resolveAsync((any Engine).self).id
                return try await [wheels, engine]
            }
            async let one = container.resolveAsync([Int].self, name: "one")
            async let other = container.resolveAsync([Int].self, name: "other")
            #expect(try await [one, other] == [[4, 1], [4, 1]])
        }
    }

    @Test("needs may be as deep as they like", arguments: [Scope.transient, .shared])
    func deep(scope: Scope) async throws {
        let depth = 500
        for level in 0..<depth {
            try container.registerAsync((any Wheels).self, name: "\(level)", scope: scope) {
                try await $0.resolveAsync((any Wheels).self, name: "\(level + 1)")
            }
        }
        let error = try await failureAsync {
            try await container.resolveAsync((any Wheels).self, name: "0")
        }
        #expect(error.chain.count == depth)
        try container.registerAsync((any Wheels).self, name: "\(depth)", scope: scope) { resolver in
            try await resolver.resolveAsync((any Wheels).self, name: "0")
        }
        await expectCycle(Array(repeating: "Wheels", count: depth + 2)) {
            _ = try await container.resolveAsync((any Wheels).self, name: "0")
        }
        container.unregister((any Wheels).self, name: "\(depth)")
        try container.registerAsync((any Wheels).self, name: "\(depth)", scope: scope) { _ in
            FixedWheels(count: depth)
        }
        #expect(try await container.resolveAsync((any Wheels).self, name: "0").count == depth)
    }

    @Test("with arguments a factory may come back to itself, up to a hundred times")
    func recursion() async throws {
        try container.registerAsync((any Wheels).self) { (resolver, depth: Int) in
            if depth == 0 { return FixedWheels(count: 4) }
            return try await resolver.resolveAsync((any Wheels).self, arguments: depth - 1)
        }
        #expect(try await container.resolveAsync((any Wheels).self, arguments: 100).count == 4)
        let error = try await failureAsync {
            try await container.resolveAsync((any Wheels).self, arguments: 101)
        }
        #expect(error.kind == "cycle")
    }

    @Test("a creation that waits in two tasks still waits when one of them is cancelled")
    func twoTasks() async throws {
        let isBegun = Gate()
        let mayGoOn = Gate()
        try container.registerAsync((any Engine).self, scope: .shared) { resolver in
            isBegun.open()
            await mayGoOn.wait()
            return try await resolver.resolveAsync((any Car).self).engine
        }
        try container.registerAsync((any Car).self, scope: .shared) { resolver in
            let first = Task { try await resolver.resolveAsync((any Engine).self) }
            await isBegun.wait()
            let second = Task { try await resolver.resolveAsync((any Engine).self) }
            // The second task may wait by then, too. Whether it does is not known from outside.
            for _ in 0..<1_000 { await Task.yield() }
            second.cancel()
            _ = await second.result
            mayGoOn.open()
            return SimpleCar(engine: try await first.value)
        }
        await expectCycle(["Car", "Engine", "Car"]) {
            _ = try await container.resolveAsync((any Car).self)
        }
    }

    @Test("a cycle through a detached task is found if that asks the factory's resolver")
    func detached() async throws {
        try container.registerAsync((any Car).self, scope: .shared) { resolver in
            let engine = Task.detached { try await resolver.resolveAsync((any Engine).self) }
            return SimpleCar(engine: try await engine.value)
        }
        try container.registerAsync((any Engine).self, scope: .shared) { resolver in
            try await Task.detached { try await resolver.resolveAsync((any Car).self).engine }.value
        }
        await expectCycle(["Car", "Engine", "Car"]) {
            _ = try await container.resolveAsync((any Car).self)
        }
    }

    @Test("a cycle through a service that a thread creates is found if tasks ask its resolver")
    func throughThread() async throws {
        let failed = Counter()
        let executor = ThreadExecutor()
        try container.register((any Engine).self, scope: .shared) { resolver in
            let done = Signal()
            Task.detached(executorPreference: executor) {
                do { _ = try await resolver.resolveAsync((any Engine).self) } catch {
                    failed.next()
                }
                done.signal()
            }
            done.wait()
            return CountedEngine()
        }
        let isMade = Gate()
        Threads.start {
            _ = try? container.resolve((any Engine).self)
            isMade.open()
        }
        await isMade.wait()
        #expect(failed.count == 1)
    }

    @Test("a task that a factory left behind may ask for the factory's own instance")
    func leftBehind() async throws {
        let isMade = Gate()
        let task = Kept<Task<Int, any Error>>()
        try container.registerAsync((any Engine).self, scope: .shared) { resolver in
            task.value = Task {
                await isMade.wait()
                return try await resolver.resolveAsync((any Engine).self).id
            }
            return CountedEngine()
        }
        #expect(try await container.resolveAsync((any Engine).self).id == 1)
        isMade.open()
        #expect(try await task.value?.value == 1)
    }
}
