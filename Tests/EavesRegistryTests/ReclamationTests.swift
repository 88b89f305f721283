// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

@_spi(Containers) import EavesInterface
import EavesRegistry
import EavesTestSupport
import Testing

@Suite("Releasing what was taken back", .promptly, .patiently)
struct ReclamationTests {
    /// A container whose session has an engine, which tells when it is released.
    fileprivate static func session(_ isReleased: Signal) throws -> Container {
        let container = Container()
        try container.register((any Engine).self, scope: .named("session")) { _ in
            WatchedEngine(isReleased)
        }
        return container
    }

    @Test("happens at once if nothing is being resolved")
    func atOnce() async {
        // In a process of its own, no other test resolves anything.
        await #expect(processExitsWith: .success) {
            let container = try ReclamationTests.session(Signal())
            weak let first = try container.resolve((any Engine).self) as? WatchedEngine
            #expect(first != nil)
            container.reset(.named("session"))
            #expect(first == nil)
            weak let second = try container.resolve((any Engine).self) as? WatchedEngine
            #expect(second != nil)
            container.unregister(module: nil)
            #expect(second == nil)
        }
    }

    @Test("happens when the last factory that was running has returned, without any other change")
    func lastOneOut() async {
        await #expect(processExitsWith: .success) {
            let container = try ReclamationTests.session(Signal())
            let other = Container()
            let (first, second) = (Signal("the first factory"), Signal("the second factory"))
            let goOn = [Signal("leave to go on"), Signal("leave to go on")]
            let ended = [Signal("the end of the first"), Signal("the end of the second")]
            try other.register((any Wheels).self, name: "0", scope: .shared) { _ in
                first.signal()
                goOn[0].wait()
                return FixedWheels(count: 0)
            }
            try other.register((any Wheels).self, name: "1") { _ in
                second.signal()
                goOn[1].wait()
                return FixedWheels(count: 1)
            }
            weak let engine = try container.resolve((any Engine).self) as? WatchedEngine
            for number in 0..<2 {
                Threads.start {
                    _ = try? other.resolve((any Wheels).self, name: "\(number)")
                    ended[number].signal()
                }
            }
            first.wait()
            second.wait()
            container.reset(.named("session"))
            #expect(engine != nil)
            // One that begins after the reset is not waited for, and cleans nothing up.
            try other.register((any Engine).self) { _ in CountedEngine() }
            _ = try other.resolve((any Engine).self)
            container.reclaim()
            #expect(engine != nil)
            goOn[1].signal()
            ended[1].wait()
            #expect(engine != nil)
            goOn[0].signal()
            ended[0].wait()
            #expect(engine == nil)
        }
    }

    @Test("happens when the factory that resets has returned itself, or the loan")
    func itself() async {
        await #expect(processExitsWith: .success) {
            let container = try ReclamationTests.session(Signal())
            weak let engine = try container.resolve((any Engine).self) as? WatchedEngine
            let other = Container()
            try other.register((any Wheels).self) { [weak engine] _ in
                container.reset(.named("session"))
                #expect(engine != nil)
                return FixedWheels(count: 4)
            }
            _ = try other.resolve((any Wheels).self)
            #expect(engine == nil)
            try other.register((any Wheels).self, name: "lent", scope: .shared) { _ in
                FixedWheels(count: 4)
            }
            _ = try other.resolve((any Wheels).self, name: "lent")
            weak let next = try container.resolve((any Engine).self) as? WatchedEngine
            #expect(next != nil)
            try other.borrow((any Wheels).self, name: "lent") { _ in
                container.reset(.named("session"))
                // A resolution inside the loan is not the end of the loan.
                _ = try other.resolve((any Wheels).self, name: "lent")
                #expect(next != nil)
            }
            #expect(next == nil)
        }
    }

    @Test("happens where the objects may resolve anew while they are released")
    func resolvingWhileReleased() async {
        final class Asking: Sendable {
            let resolver: any Resolver
            init(_ resolver: any Resolver) { self.resolver = resolver }
            deinit { _ = try? resolver.resolve((any Wheels).self) }
        }
        await #expect(processExitsWith: .success) {
            let container = Container()
            let asked = Counter()
            try container.register((any Wheels).self, scope: .graph) { _ in
                FixedWheels(count: asked.next())
            }
            try container.register(Asking.self, scope: .named("session")) {
                Asking($0.weaklyHeld)
            }
            try container.register((any Engine).self) { [weak container] resolver in
                _ = try resolver.resolve(Asking.self)
                container?.reset(.named("session"))
                return CountedEngine()
            }
            _ = try container.resolve((any Engine).self)
            #expect(asked.count == 1)
        }
    }

    @Test("releases each instance exactly once, however many threads reset and resolve")
    func threads() throws {
        let container = Container()
        let (made, released, failed) = (Counter(), Counter(), Counter())
        try container.register(Ending.self, scope: .named("session")) { _ in
            made.next()
            return Ending(released)
        }
        Threads.run(6) { number in
            for _ in 0..<Soak.rounds(300) {
                if number < 2 {
                    container.reset(.named("session"))
                } else if (try? container.resolve(Ending.self)) == nil {
                    failed.next()
                }
            }
        }
        // Items are released in the order of the changes, so this one is the last.
        let isReleased = Signal("the release of the last registration")
        do {
            let last = Sentinel(isReleased)
            try container.register((any Engine).self) { _ in
                withExtendedLifetime(last) { CountedEngine() }
            }
        }
        container.unregister(Ending.self)
        container.unregister(module: nil)
        isReleased.wait()
        // The resolutions of other tests may keep the last ones for a moment.
        try Patience.wait(for: "the release of all \(made.count) instances") {
            container.reclaim()
            return released.count >= made.count
        }
        #expect(released.count == made.count)
        #expect(failed.count == 0)
    }
}
