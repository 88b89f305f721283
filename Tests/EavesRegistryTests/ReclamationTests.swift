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

@Suite("Retired instances", .promptly, .patiently)
struct RetiredInstancesTests {
    private let container = Container()

    private func engines(_ number: Int, scope: Scope = .shared) -> StagedRegistrar {
        generation(of: "engines") { registrar in
            registrar.register((any Engine).self, scope: scope) { _ in NumberedEngine(number) }
        }
    }

    @Test("are counted as long as they live", arguments: [Scope.shared, .named("session"), .weak])
    func living(scope: Scope) throws {
        try engines(1, scope: scope).commit(to: container)
        var kept: (any Engine)? = try container.resolve((any Engine).self)
        let retired = try engines(2, scope: scope).replace(in: container)
        _ = try container.resolve((any Engine).self)
        #expect(retired.living == 1)
        withExtendedLifetime(kept) {}
        kept = nil
        let isDrained = Signal("the end of what was under way")
        retired.onDrained { isDrained.signal() }
        isDrained.wait()
        #expect(retired.living == 0)
    }

    @Test("are not counted if no scope keeps them, or if they are no objects")
    func uncounted() throws {
        try generation(of: "engines") { registrar in
            registrar.register((any Engine).self) { _ in NumberedEngine(1) }
            registrar.register((any Wheels).self, scope: .shared) { _ in FixedWheels(count: 4) }
        }.commit(to: container)
        let engine = try container.resolve((any Engine).self)
        let wheels = try container.resolve((any Wheels).self)
        let retired = container.retire(module: "engines")
        #expect(retired.requests.map(\.service) == ["Engine", "Wheels"])
        #expect(retired.living == 0)
        withExtendedLifetime((engine, wheels)) {}
    }

    @Test("of awaited factories are counted, too", arguments: [Scope.shared, .weak])
    func awaited(scope: Scope) async throws {
        func load(_ number: Int) -> StagedRegistrar {
            generation(of: "engines") { registrar in
                registrar.registerAsync((any Engine).self, scope: scope) { _ in
                    NumberedEngine(number)
                }
            }
        }
        try load(1).commit(to: container)
        let engine = try await container.resolveAsync((any Engine).self)
        let retired = try load(2).replace(in: container)
        #expect(retired.living == 1)
        #expect(try await container.resolveAsync((any Engine).self).id == 2)
        withExtendedLifetime(engine) {}
    }

    @Test("inside of decorated ones are counted, too")
    func decorated() throws {
        final class Decorating: Engine {
            let inner: any Engine
            var id: Int { inner.id + 100 }
            init(_ inner: any Engine) { self.inner = inner }
        }
        try engines(1).commit(to: container)
        container.decorate((any Engine).self) { _, inner in Decorating(inner) }
        let engine = try container.resolve((any Engine).self)
        #expect(engine.id == 101)
        let retired = try engines(2).replace(in: container)
        #expect(retired.living == 2)
        withExtendedLifetime(engine) {}
    }

    @Test("count what a factory still creates that was running")
    func createdLater() throws {
        let (isRunning, goOn) = (Signal("the factory"), Signal("leave to go on"))
        try generation(of: "engines") {
            $0.register((any Engine).self, scope: .shared) { _ in
                isRunning.signal()
                goOn.wait()
                return NumberedEngine(1)
            }
        }.commit(to: container)
        let (result, isResolved) = (Kept<any Engine>(), Signal("the old instance"))
        let container = container
        Threads.start {
            result.value = try? container.resolve((any Engine).self)
            isResolved.signal()
        }
        isRunning.wait()
        let retired = try engines(2).replace(in: container)
        #expect(!retired.isDrained)
        #expect(retired.living == 0)
        #expect(try container.resolve((any Engine).self).id == 2)
        let isDrained = Signal("the end of the factory")
        retired.onDrained { isDrained.signal() }
        goOn.signal()
        isResolved.wait()
        isDrained.wait()
        #expect(retired.isDrained)
        #expect(result.value?.id == 1)
        #expect(retired.living == 1)
    }

    @Test("are drained on the thread that leaves last, and not before a loan has ended")
    func drained() async {
        // In a process of its own, no other test resolves anything.
        await #expect(processExitsWith: .success) {
            let container = Container()
            try generation(of: "engines") {
                $0.register((any Engine).self, scope: .shared) { _ in NumberedEngine(1) }
            }.commit(to: container)
            _ = try container.resolve((any Engine).self)
            let retired = try container.borrow((any Engine).self) { engine in
                let retired = container.retire(module: "engines")
                #expect(!retired.isDrained)
                #expect(retired.living == 1)
                #expect(engine.id == 1)
                return retired
            }
            #expect(retired.isDrained)
            #expect(retired.living == 0)
            let isTold = Counter()
            retired.onDrained { isTold.next() }
            #expect(isTold.count == 1)
            // Where nothing is under way, they are drained at once.
            try generation(of: "wheels") {
                $0.register((any Wheels).self, scope: .shared) { _ in FixedWheels(count: 4) }
            }.commit(to: container)
            #expect(container.retire(module: "wheels").isDrained)
        }
    }

    @Test("of containers that choose differently are among them")
    func children() throws {
        func cars(_ number: Int) -> StagedRegistrar {
            generation(of: "b") {
                $0.register((any Car).self, scope: .shared) { _ in
                    KeepingCar(NumberedEngine(number))
                }
            }
        }
        try cars(1).commit(to: container)
        let child = Container(parent: container, chooser: FixedChooser(["b"], copying: true))
        let own = try child.resolve((any Car).self)
        let home = try container.resolve((any Car).self)
        let retired = try cars(2).replace(in: container)
        #expect(retired.living == 2)
        withExtendedLifetime((own, home)) {}
    }
}
