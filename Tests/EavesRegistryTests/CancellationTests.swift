// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesInterface
import EavesRegistry
import Testing

@Suite("cancelled tasks")
struct CancellationTests {
    private let container = Container()
    private let runs = Counter()
    private let hasBegun = Gate()
    private let mayEnd = Gate()
    private let wasCancelled = Gate()

    /// A factory whose first run reports its cancellation, and waits until it may end.
    ///
    /// - Parameter obeys: Whether it throws if it was cancelled.
    private func registerEngine(obeys: Bool) throws {
        try container.registerAsync((any Engine).self, scope: .shared) {
            [runs, hasBegun, mayEnd, wasCancelled] _ in
            guard runs.next() == 1 else { return CountedEngine(counter: Counter(from: 1)) }
            hasBegun.open()
            await withTaskCancellationHandler {
                await mayEnd.wait()
            } onCancel: {
                wasCancelled.open()
            }
            if obeys { try Task.checkCancellation() }
            return CountedEngine()
        }
    }

    private func ask() -> Task<Int, any Error> {
        Task { [container] in try await container.resolveAsync((any Engine).self).id }
    }

    private func expectCancelled(_ task: Task<Int, any Error>) async {
        let error = await #expect(throws: ResolutionError.self) { try await task.value }
        #expect(error?.kind == "cancelled")
    }

    @Test("a task that is cancelled stops waiting, and the others do not notice")
    func oneOfMany() async throws {
        try registerEngine(obeys: true)
        let first = ask()
        await hasBegun.wait()
        let others = (0..<100).map { _ in ask() }
        for task in others[..<50] { task.cancel() }
        first.cancel()
        for task in others[..<50] { await expectCancelled(task) }
        await expectCancelled(first)
        mayEnd.open()
        var ids: Set<Int> = []
        for task in others[50...] { ids.insert(try await task.value) }
        // Some of the fifty may have waited already when the first one left.
        #expect(ids.count == 1)
        #expect(ids == [runs.count])
    }

    @Test("a creation is not cancelled while a task waits for it")
    func keptAlive() async throws {
        let outer = Gate()
        try registerEngine(obeys: true)
        try container.registerAsync((any Car).self, scope: .shared) { resolver in
            async let engine = resolver.resolveAsync((any Engine).self)
            outer.open()
            return SimpleCar(engine: try await engine)
        }
        let first = ask()
        await hasBegun.wait()
        let car = Task { [container] in try await container.resolveAsync((any Car).self) }
        await outer.wait()
        car.cancel()
        await #expect(throws: ResolutionError.self) { try await car.value }
        mayEnd.open()
        #expect(try await first.value == 1)
        #expect(runs.count == 1)
    }

    @Test("a creation without waiting tasks is cancelled, and the next task creates again")
    func abandoned() async throws {
        try registerEngine(obeys: true)
        let first = ask()
        await hasBegun.wait()
        first.cancel()
        await expectCancelled(first)
        await wasCancelled.wait()
        // This task may come while the first creation still ends, and must not get its failure.
        let second = ask()
        mayEnd.open()
        #expect(try await second.value == 2)
        #expect(runs.count == 2)
    }

    @Test("a creation that goes on although it was cancelled is the one that counts")
    func stubborn() async throws {
        try registerEngine(obeys: false)
        let first = ask()
        await hasBegun.wait()
        first.cancel()
        await expectCancelled(first)
        let second = ask()
        mayEnd.open()
        #expect(try await second.value == 1)
        #expect(runs.count == 1)
    }

    @Test("the needs of a cancelled creation are cancelled with it")
    func needs() async throws {
        try registerEngine(obeys: true)
        try container.registerCarAsync(.shared)
        let car = Task { [container] in try await container.resolveAsync((any Car).self) }
        await hasBegun.wait()
        car.cancel()
        await #expect(throws: ResolutionError.self) { try await car.value }
        // This hangs if the engine's factory is not told.
        await wasCancelled.wait()
        mayEnd.open()
    }

    @Test("a task that was cancelled before begins nothing, and gets an instance that exists")
    func before() async throws {
        try registerEngine(obeys: false)
        let task = Task { [container] in
            withUnsafeCurrentTask { $0?.cancel() }
            return try await container.resolveAsync((any Engine).self).id
        }
        await expectCancelled(task)
        #expect(runs.count == 0)
        mayEnd.open()
        _ = try await container.resolveAsync((any Engine).self)
        let late = Task { [container] in
            withUnsafeCurrentTask { $0?.cancel() }
            return try await container.resolveAsync((any Engine).self).id
        }
        #expect(try await late.value == 1)
    }
}
