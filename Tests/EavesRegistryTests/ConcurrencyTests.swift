// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesDiagnostics
@_spi(Containers) import EavesInterface
import EavesRegistry
import EavesTestSupport
import Testing

@Suite("Many threads at once")
struct ConcurrencyTests {
    private let container = Container()

    @Test("a shared factory runs once under 100 threads")
    func exactlyOnce() throws {
        for _ in 0..<Soak.rounds(50) {
            let container = Container()
            let counter = Counter()
            try container.registerEngine(.shared, counting: counter)
            let wrong = Counter()
            Threads.run(100) { _ in
                if (try? container.resolve((any Engine).self))?.id != 1 { wrong.next() }
            }
            #expect(counter.count == 1)
            #expect(wrong.count == 0)
        }
    }

    @Test("a slow factory delays only those who want its instance")
    func slowFactory() throws {
        let started = Signal()
        let release = Signal()
        try container.register((any Engine).self, scope: .shared) { _ in
            started.signal()
            release.wait()
            return CountedEngine()
        }
        try container.register((any Wheels).self, scope: .shared) { _ in FixedWheels(count: 4) }
        let done = Signal()
        Threads.start {
            _ = try? container.resolve((any Engine).self); done.signal()
        }
        started.wait()
        // With the engine's factory still running, this would hang if it were delayed.
        #expect(try container.resolve((any Wheels).self).count == 4)
        release.signal()
        done.wait()
    }

    @Test(
        "two threads that create what the other one needs get an error instead of waiting for ever")
    func crossedCycle() throws {
        for _ in 0..<Soak.rounds(200) {
            let container = Container()
            let meet = Meeting()
            try container.register((any Car).self, scope: .shared) { resolver in
                meet.wait()
                return SimpleCar(engine: try resolver.resolve((any Engine).self))
            }
            #expect(try container.failures(ofCrossing: meet) == 2)
        }
    }

    @Test("two threads that need the same two services in opposite order both get them")
    func oppositeOrder() throws {
        for _ in 0..<Soak.rounds(200) {
            let container = Container()
            let meet = Meeting()
            try container.register((any Engine).self, scope: .shared) { _ in
                meet.wait()
                return CountedEngine()
            }
            try container.register((any Wheels).self, scope: .shared) { _ in
                meet.wait()
                return FixedWheels(count: 4)
            }
            let failures = Threads.failures {
                _ = try container.resolve((any Engine).self)
                _ = try container.resolve((any Wheels).self)
            } and: {
                _ = try container.resolve((any Wheels).self)
                _ = try container.resolve((any Engine).self)
            }
            #expect(failures == 0)
        }
    }
}

@Suite("Cycles across threads", .patiently)
struct CycleAcrossThreadsTests {
    private let container = Container()

    @Test(
        "a factory that waits for a thread which wants the factory's instance gets an error",
        arguments: [Scope.shared, .weak, .named("session")])
    func handedToThread(scope: Scope) throws {
        try container.register((any Engine).self, scope: scope) { resolver in
            try Self.elsewhere { try resolver.resolve((any Engine).self) }
        }
        expectCycle("Engine → Engine") { try container.resolve((any Engine).self) }
    }

    @Test("also if other services, of any scope, stand between")
    func throughOthers() throws {
        try container.registerCar(.shared)
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
        for _ in 0..<Soak.rounds(100) {
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
            #expect(try container.failures(ofCrossing: meet) == 2)
        }
    }

    @Test("a resolver that was kept gives the factory's instance once the factory has returned")
    func keptResolver() throws {
        let kept = Locked<(any Resolver)?>(nil)
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
        let isReleased = Signal("the release of the factory")
        let kept = Locked<(any Resolver)?>(nil)
        try container.register((any Engine).self, scope: .shared) {
            [sentinel = Sentinel(isReleased)] in
            let resolver = $0
            kept.withLock { $0 = resolver }
            return withExtendedLifetime(sentinel) { CountedEngine() }
        }
        _ = try container.resolve((any Engine).self)
        container.unregister(module: nil)
        // Other tests' threads may be in sections. The last of them releases the factory.
        isReleased.wait()
        withExtendedLifetime(kept) {}
    }

    @Test(
        "also if the thread asks through a provider, a lazy value or a weakly held resolver of it",
        arguments: ["provider", "lazy", "weaklyHeld"])
    func throughOtherHands(way: String) throws {
        try container.register((any Engine).self, scope: .shared) { resolver in
            let provider = resolver.provider((any Engine).self)
            let lazy = resolver.lazy((any Engine).self)
            let weak = resolver.weaklyHeld
            return try Self.elsewhere {
                switch way {
                case "provider": try provider.get()
                case "lazy": try lazy.get()
                default: try weak.resolve((any Engine).self)
                }
            }
        }
        expectCycle("Engine → Engine") { try container.resolve((any Engine).self) }
    }

    @Test("a provider and a lazy value that were kept work once the factory has returned")
    func keptHands() throws {
        struct Hands: Sendable {
            let provider: Provider<any Engine>
            let lazy: Lazy<any Engine>
        }
        let kept = Kept<Hands>()
        try container.register((any Engine).self, scope: .shared) { resolver in
            kept.value = Hands(
                provider: resolver.provider((any Engine).self),
                lazy: resolver.lazy((any Engine).self))
            return CountedEngine()
        }
        let engine = try container.resolve((any Engine).self)
        let hands = try #require(kept.value)
        for get in [hands.provider.get, hands.lazy.get] {
            let same = try Self.elsewhere { try get() }
            #expect(same as AnyObject === engine as AnyObject)
        }
    }

    @Test("a thread that waits for a factory, and asks elsewhere, is told of")
    func longWait() throws {
        let told = Kept<LongWait>()
        let isTold = Signal("the warning")
        let container = Container(patience: .milliseconds(1)) { wait in
            told.value = wait
            isTold.signal()
        }
        let other = Signal("the other thread's engine")
        try container.register((any Engine).self, scope: .shared) { [weak container] _ in
            Threads.start { [container] in
                if (try? container?.resolve((any Engine).self)) != nil { other.signal() }
            }
            isTold.wait()
            return CountedEngine()
        }
        _ = try container.resolve((any Engine).self)
        other.wait()
        let wait = try #require(told.value)
        #expect(wait.request == ServiceRequest((any Engine).self))
        #expect(
            wait.diagnostic.message.hasPrefix(
                "a thread has waited 0.001 seconds for Engine (host, EavesRegistryTests/Concurrency"
            ))
        #expect(
            wait.diagnostic.fix?.contains("ask the resolver that the factory was given") == true)
    }

    private func expectCycle(
        _ path: String, sourceLocation: SourceLocation = #_sourceLocation,
        _ body: () throws -> some Sendable
    ) {
        let error = #expect(throws: ResolutionError.self, sourceLocation: sourceLocation) {
            _ = try body()
        }
        #expect(error?.kind == "cycle", sourceLocation: sourceLocation)
        #expect(
            error?.description.contains("needed by: \(path)") == true,
            "\(error as Any)", sourceLocation: sourceLocation)
    }

    /// Calls `body` on another thread, and waits for it.
    private static func elsewhere<Result: Sendable>(
        _ body: @escaping @Sendable () throws -> Result
    ) throws -> Result {
        let result = Locked<Swift.Result<Result, any Error>?>(nil)
        let done = Signal()
        Threads.start {
            let outcome = Swift.Result { try body() }
            result.withLock { $0 = outcome }
            done.signal()
        }
        done.wait()
        return try #require(result.withLock { $0 }).get()
    }
}
