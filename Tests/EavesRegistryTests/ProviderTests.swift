// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

@_spi(Containers) import EavesInterface
import EavesRegistry
import Testing

@Suite("Providers and lazy services")
struct ProviderTests {
    private let container = Container()

    @Test("a lazy service that needs itself is a cycle, and no deadlock")
    func lazyCycle() throws {
        let lazy = container.lazy((any Engine).self)
        try container.register((any Engine).self) { _ in try lazy() }
        let error = try #require(throws: ResolutionError.self) { try lazy() }
        #expect(error.kind == "cycle")
    }

    @Test("threads that use a lazy service and what it needs in opposite order both get them")
    func lazyCrossing() throws {
        for _ in 0..<100 {
            let container = Container()
            let meeting = Meeting()
            let lazy = container.lazy((any Engine).self)
            // Nothing here needs itself, but each thread creates what the other one wants.
            try container.register((any Engine).self) { resolver in
                meeting.wait()
                return try resolver.resolve((any Engine).self, name: "real")
            }
            try container.register((any Engine).self, name: "real", scope: .shared) { _ in
                CountedEngine()
            }
            try container.register((any Wheels).self, scope: .shared) { _ in
                meeting.wait()
                return FixedWheels(count: try lazy().id)
            }
            let failures = Threads.failures {
                _ = try lazy()
            } and: {
                _ = try container.resolve((any Wheels).self)
            }
            #expect(failures == 0)
        }
    }

    @Test("neither keeps the container alive, and both say when it is gone")
    func lifetime() throws {
        var container: Container? = Container()
        weak let observed = container
        try container?.register((any Engine).self, scope: .shared) { _ in CountedEngine() }
        let made = try #require(container)
        let provider = made.provider((any Engine).self)
        let lazy = made.lazy((any Engine).self)
        let used = made.lazy((any Engine).self)
        #expect(try used().id == 1)
        withExtendedLifetime(made) {}
        func check() throws {
            for ask in [provider.get, lazy.get] {
                let error = try #require(throws: ResolutionError.self) { try ask() }
                #expect(error.kind == "containerGone")
                #expect(error.description == "cannot create Engine: its container is gone")
            }
            #expect(try used().id == 1)
        }
        _ = consume made
        container = nil
        #expect(observed == nil)
        try check()
    }

    @Test("a shared object that keeps them is no reference cycle")
    func noLeak() throws {
        final class Keeper: Wheels {
            let count = 4
            let provider: Provider<any Engine>
            let lazy: Lazy<any Engine>

            init(_ resolver: any Resolver) {
                provider = resolver.provider((any Engine).self)
                lazy = resolver.lazy((any Engine).self)
            }
        }
        weak var observed: Container?
        try autoreleased {
            let container = Container()
            observed = container
            try container.register((any Engine).self) { _ in CountedEngine() }
            try container.register((any Wheels).self, scope: .shared) { Keeper($0) }
            let keeper = try #require(
                try container.resolve((any Wheels).self) as? Keeper)
            #expect(try keeper.provider().id == 1)
            #expect(try keeper.lazy().id == 1)
        }
        #expect(observed == nil)
    }

    private func autoreleased(_ body: () throws -> Void) rethrows { try body() }
}
