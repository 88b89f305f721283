// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesTestSupport
@_spi(Containers) import EavesInterface
import EavesRegistry
import Testing

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
