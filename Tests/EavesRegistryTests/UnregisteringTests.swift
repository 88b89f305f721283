// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesInterface
import EavesRegistry
import EavesTestSupport
import Testing

@Suite("Unregistering")
struct UnregisteringTests {
    private let container = Container()

    @Test("takes back one registration and leaves the others")
    func one() throws {
        try container.register((any Wheels).self) { _ in FixedWheels(count: 4) }
        try container.register((any Wheels).self, name: "truck") { _ in FixedWheels(count: 6) }
        #expect(container.unregister((any Wheels).self, name: "truck"))
        #expect(!container.unregister((any Wheels).self, name: "truck"))
        #expect(try container.resolve((any Wheels).self).count == 4)
        _ = try failure { try container.resolve((any Wheels).self, name: "truck") }
    }

    @Test("tells registrations apart by their runtime arguments")
    func arguments() throws {
        let staged = StagedRegistrar(module: "cars", settings: Settings())
        staged.register((any Wheels).self) { _ in FixedWheels(count: 4) }
        staged.register((any Wheels).self) { (_, count: Int) in FixedWheels(count: count) }
        try staged.commit(to: container)
        #expect(container.unregister((any Wheels).self, arguments: Int.self))
        #expect(try container.resolve((any Wheels).self).count == 4)
        _ = try failure { try container.resolve((any Wheels).self, arguments: 3) }
    }

    @Test("takes back everything that a module registered, and nothing else")
    func module() throws {
        try container.register((any Wheels).self) { _ in FixedWheels(count: 4) }
        let staged = StagedRegistrar(module: "cars", settings: Settings())
        staged.register((any Engine).self) { _ in CountedEngine() }
        staged.register((any Wheels).self, name: "truck") { _ in FixedWheels(count: 6) }
        try staged.commit(to: container)
        #expect(container.unregister(module: "cars").map(\.service) == ["Engine", "Wheels"])
        #expect(container.registrations.map(\.module) == [nil])
        #expect(try container.resolve((any Wheels).self).count == 4)
    }

    @Test("releases the factory and its instance")
    func release() throws {
        let (factory, instance) = (Signal("the factory's release"), Signal("the instance's"))
        do {
            let sentinel = Sentinel(factory)
            try container.register(Sentinel.self, scope: .shared) { _ in
                withExtendedLifetime(sentinel) { Sentinel(instance) }
            }
            _ = try container.resolve(Sentinel.self)
        }
        container.unregister(Sentinel.self)
        // Other tests' threads may be in sections. The last of them releases both.
        factory.wait()
        instance.wait()
    }

    @Test("a factory may take back its own registration")
    func itself() throws {
        try container.register((any Wheels).self) { [weak container] _ in
            container?.unregister((any Wheels).self)
            return FixedWheels(count: 4)
        }
        #expect(try container.resolve((any Wheels).self).count == 4)
        #expect(throws: ResolutionError.self) { try container.resolve((any Wheels).self) }
    }

    @Test("does not wait for a factory that is running, and leaves it whole")
    func running() throws {
        let started = Signal()
        let release = Signal()
        let done = Signal()
        let counter = Counter()
        try container.register((any Engine).self, scope: .shared) { _ in
            started.signal()
            release.wait()
            return CountedEngine(counter: counter)
        }
        let wrong = Counter()
        Threads.start {
            if (try? container.resolve((any Engine).self))?.id != 1 { wrong.next() }
            done.signal()
        }
        started.wait()
        // With the factory still running, this would hang if it waited.
        #expect(container.unregister((any Engine).self))
        #expect(throws: ResolutionError.self) { try container.resolve((any Engine).self) }
        release.signal()
        done.wait()
        #expect(wrong.count == 0)
    }

    @Test("is safe while other threads resolve")
    func meanwhile() throws {
        try container.register((any Wheels).self, name: "kept", scope: .shared) { _ in
            FixedWheels(count: 4)
        }
        let wrong = Counter()
        Threads.run(4) { number in
            for turn in 0..<Soak.rounds(500) {
                if number == 0 {
                    _ = try? container.register((any Wheels).self, scope: .shared) { _ in
                        FixedWheels(count: turn)
                    }
                    container.unregister((any Wheels).self)
                } else {
                    _ = try? container.resolve((any Wheels).self)
                    let kept = try? container.resolve((any Wheels).self, name: "kept")
                    if kept?.count != 4 { wrong.next() }
                }
            }
        }
        #expect(wrong.count == 0)
    }
}
