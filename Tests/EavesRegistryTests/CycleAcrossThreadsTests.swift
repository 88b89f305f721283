// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import Dispatch
import EavesInterface
import EavesRegistry
import Synchronization
import Testing

@Suite("Cycles across threads", .timeLimit(.minutes(10)))
struct CycleAcrossThreadsTests {
    @Test(
        "a factory that waits for a thread which wants the factory's instance gets an error",
        arguments: [Scope.shared, .weak, .named("session")])
    func handedToThread(scope: Scope) throws {
        let container = Container()
        try container.register((any Engine).self, scope: scope) { resolver in
            try Self.elsewhere { try resolver.resolve((any Engine).self) }
        }
        expectCycle("Engine → Engine") { try container.resolve((any Engine).self) }
    }

    @Test("also if other services, of any scope, stand between")
    func throughOthers() throws {
        let container = Container()
        try container.register((any Car).self, scope: .shared) { resolver in
            SimpleCar(engine: try resolver.resolve((any Engine).self))
        }
        try container.register((any Engine).self) { resolver in
            try Self.elsewhere {
                _ = try resolver.resolve((any Wheels).self)
                return CountedEngine()
            }
        }
        try container.register((any Wheels).self, scope: .graph) { resolver in
            try Self.elsewhere {
                _ = try resolver.resolve((any Car).self)
                return FixedWheels(count: 4)
            }
        }
        expectCycle("Car → Engine → Wheels → Car") { try container.resolve((any Car).self) }
    }

    @Test("also if a third thread creates what the second one waits for")
    func threeThreads() throws {
        for _ in 0..<100 {
            let container = Container()
            let meet = Meeting()
            // First thread: creates the car, and waits for the second, which wants the engine.
            try container.register((any Car).self, scope: .shared) { resolver in
                try Self.elsewhere {
                    meet.wait()
                    return SimpleCar(engine: try resolver.resolve((any Engine).self))
                }
            }
            // Third thread: creates the engine, and waits for the car.
            try container.register((any Engine).self, scope: .shared) { resolver in
                meet.wait()
                _ = try resolver.resolve((any Car).self)
                return CountedEngine()
            }
            let failures = Counter()
            Threads.run(2) { number in
                do {
                    if number == 0 {
                        _ = try container.resolve((any Car).self)
                    } else {
                        _ = try container.resolve((any Engine).self)
                    }
                } catch {
                    failures.next()
                }
            }
            #expect(failures.count == 2)
        }
    }

    @Test("another thread can resolve for a factory")
    func helpers() throws {
        let container = Container()
        try container.register((any Engine).self, scope: .shared) { _ in CountedEngine() }
        try container.register((any Car).self, scope: .shared) { resolver in
            SimpleCar(engine: try Self.elsewhere { try resolver.resolve((any Engine).self) })
        }
        #expect(try container.resolve((any Car).self).engine.id == 1)
    }

    @Test("a resolver that was kept gives the factory's instance once the factory has returned")
    func keptResolver() throws {
        let container = Container()
        let kept = Mutex<(any Resolver)?>(nil)
        try container.register((any Engine).self, scope: .shared) { resolver in
            kept.withLock { $0 = resolver }
            return CountedEngine()
        }
        let engine = try container.resolve((any Engine).self)
        let resolver = try #require(kept.withLock { $0 })
        let other = try Self.elsewhere { try resolver.resolve((any Engine).self) }
        #expect(other as AnyObject === engine as AnyObject)
        #expect(try resolver.resolve((any Engine).self) as AnyObject === engine as AnyObject)
    }

    @Test("a resolver that was kept keeps nothing of the registration alive")
    func keptResolverKeepsNothing() throws {
        let container = Container()
        let probe = Probe()
        let kept = Mutex<(any Resolver)?>(nil)
        try container.register((any Engine).self, scope: .shared) { [counter = probe.counter] in
            let resolver = $0
            kept.withLock { $0 = resolver }
            return CountedEngine(counter: counter)
        }
        _ = try container.resolve((any Engine).self)
        container.unregister(module: nil)
        probe.counter = Counter()
        // Other tests' resolutions may be under way, and are over soon.
        while probe.first != nil { container.reclaim() }
        withExtendedLifetime(kept) {}
    }

    /// An object that a factory captures, so that a test can see when the factory is released.
    private final class Probe {
        weak var first: Counter?
        var counter: Counter

        init() {
            counter = Counter()
            first = counter
        }
    }

    private func expectCycle(
        _ path: String, sourceLocation: SourceLocation = #_sourceLocation,
        _ body: () throws -> some Sendable
    ) {
        let error = #expect(throws: ResolutionError.self, sourceLocation: sourceLocation) {
            _ = try body()
        }
        guard case .cycle = error?.reason else {
            Issue.record("\(error as Any)", sourceLocation: sourceLocation)
            return
        }
        #expect(
            error?.description.contains("needed by: \(path)") == true,
            "\(error as Any)", sourceLocation: sourceLocation)
    }

    /// Calls `body` on another thread, and waits for it.
    private static func elsewhere<Result: Sendable>(
        _ body: @escaping @Sendable () throws -> Result
    ) throws -> Result {
        let result = Mutex<Swift.Result<Result, any Error>?>(nil)
        let done = DispatchSemaphore(value: 0)
        Threads.start {
            let outcome = Swift.Result { try body() }
            result.withLock { $0 = outcome }
            done.signal()
        }
        done.wait()
        return try #require(result.withLock { $0 }).get()
    }
}
