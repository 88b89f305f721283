// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesInterface
import EavesRegistry
import EavesTestSupport
import Testing

@Suite("scopes of awaited services")
struct AsyncScopeTests {
    private let container = Container()

    private static let tasks = 1_000

    @Test("a shared factory runs once under 1,000 tasks, which block no thread")
    func exactlyOnce() async throws {
        let counter = Counter()
        let all = Assembly(Self.tasks + 1)
        try container.registerAsync((any Engine).self, scope: .shared) { _ in
            // This ends only if all tasks get to run while it is under way.
            await all.wait()
            return CountedEngine(counter: counter)
        }
        let ids = try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<Self.tasks {
                group.addTask {
                    async let engine = container.resolveAsync((any Engine).self)
                    await all.wait()
                    return try await engine.id
                }
            }
            return try await group.reduce(into: Set<Int>()) { $0.insert($1) }
        }
        #expect(ids == [1])
        #expect(counter.count == 1)
    }

    @Test(
        "tasks that wait for a creation that fails share its error, and the next task creates again"
    )
    func failsOnce() async throws {
        let tries = Counter()
        let isMade = Gate()
        try container.registerAsync((any Engine).self, scope: .shared) { _ in
            if tries.next() == 1 {
                await isMade.wait()
                throw Broken(what: "spark plug")
            }
            return CountedEngine()
        }
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<Self.tasks {
                group.addTask {
                    // A task that comes after the first creation has ended gets the second one's error.
                    _ = try? await container.resolveAsync((any Engine).self)
                }
            }
            isMade.open()
        }
        #expect(try await container.resolveAsync((any Engine).self).id == 1)
        #expect(tries.count == 2)
    }

    @Test(
        "graph: one instance within a resolution, in all its tasks, awaited or not, and gone after it"
    )
    func graph() async throws {
        let counter = Counter()
        try container.registerAsync((any Engine).self, scope: .graph) { _ in
            await Task.yield()
            return CountedEngine(counter: counter)
        }
        try container.registerEngine(name: "plain", .graph, counting: counter)
        try container.registerAsync([Int].self, name: "inner", scope: .shared) { resolver in
            async let first = resolver.resolveAsync((any Engine).self).id
            let second = try resolver.resolve((any Engine).self, name: "plain").id
            return try await [first, second]
        }
        try container.registerAsync([Int].self) { resolver in
            async let first = resolver.resolveAsync((any Engine).self).id
            async let second = resolver.resolveAsync((any Engine).self, name: "plain").id
            async let inner = resolver.resolveAsync([Int].self, name: "inner")
            let third = try resolver.resolve((any Engine).self, name: "plain").id
            return try await [first, second] + inner + [third]
        }
        let ids = try await container.resolveAsync([Int].self)
        #expect(Set(ids) == [1, 2])
        #expect(ids[0] == ids[2] && ids[1] == ids[3] && ids[1] == ids[4])
        // Another resolution; the shared instance stays.
        let others = try await container.resolveAsync([Int].self)
        #expect(Set([others[0], others[1]]) == [3, 4])
        #expect(others[2...3] == ids[2...3])
    }

    @Test("graph: instances are released with the resolution, also if a task outlives it")
    func graphEnds() async throws {
        let resolutionIsOver = Gate()
        let tasks = Kept<Task<Bool, any Error>>()
        let engines = WeakBox()
        try container.registerAsync((any Engine).self, scope: .graph) { _ in
            let engine = CountedEngine()
            engines.remember(engine)
            return engine
        }
        try container.registerAsync((any Wheels).self) { resolver in
            let first = try await resolver.resolveAsync((any Engine).self)
            tasks.value = Task {
                await resolutionIsOver.wait()
                let isReleased = engines.isEmpty
                let second = try await resolver.resolveAsync((any Engine).self)
                return isReleased && engines.holds(second)
            }
            return FixedWheels(count: first.id)
        }
        _ = try await container.resolveAsync((any Wheels).self)
        resolutionIsOver.open()
        #expect(try await tasks.value?.value == true)
        #expect(engines.isEmpty)
    }

    @Test(
        "a change during a creation: tasks that wait get the old instance, tasks that ask later do not",
        arguments: ["reset", "override", "unregister"])
    func changeMeanwhile(change: String) async throws {
        let counter = Counter()
        let (hasBegun, mayEnd) = (Gate(), Gate())
        try container.registerAsync((any Engine).self, scope: .named("trip")) { _ in
            let engine = CountedEngine(counter: counter)
            if engine.id == 1 {
                hasBegun.open()
                await mayEnd.wait()
            }
            return engine
        }
        async let early = container.resolveAsync((any Engine).self)
        await hasBegun.wait()
        switch change {
        case "reset": container.reset(.named("trip"))
        case "unregister": container.unregister(module: nil)
        default:
            try container.registerAsync((any Engine).self, scope: .shared, overriding: true) { _ in
                CountedEngine(counter: counter)
            }
        }
        let late = try? await container.resolveAsync((any Engine).self)
        mayEnd.open()
        #expect(try await early.id == 1)
        #expect(late?.id == (change == "unregister" ? nil : 2))
        let last = try? await container.resolveAsync((any Engine).self)
        #expect(last?.id == late?.id)
    }

    @Test(
        "an instance is released with its registration, also if it keeps its resolver",
        .patiently)
    func released() async throws {
        let isReleased = Signal("the release of the instance")
        struct Asking: Sendable {
            let resolver: any Resolver
            let sentinel: Sentinel
        }
        try container.registerAsync(Asking.self, scope: .shared) { resolver in
            Asking(resolver: resolver, sentinel: Sentinel(isReleased))
        }
        _ = try await container.resolveAsync(Asking.self)
        container.unregister(module: nil)
        // Other tests' threads may be in sections. The last of them releases it.
        await isReleased.come()
    }
}
