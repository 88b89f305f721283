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

    /// The askers of the only instance that lives.
    private func askers(_ retired: RetiredInstances) -> [String] {
        let living = retired.living
        #expect(living.count == 1)
        return living.first?.askers.map {
            if case .factory(let request, let module, _) = $0 {
                "\(request.service) of \(module ?? "host")"
            } else {
                "\($0)"
            }
        } ?? []
    }

    @Test("are told as long as they live", arguments: [Scope.shared, .named("session"), .weak])
    func living(scope: Scope) throws {
        try engines(1, scope: scope).commit(to: container)
        var kept: (any Engine)? = try container.resolve((any Engine).self)
        let retired = try engines(2, scope: scope).replace(in: container)
        _ = try container.resolve((any Engine).self)
        let living = retired.living
        #expect(living.count == 1)
        #expect(living.first?.request.service == "Engine")
        #expect(living.first?.module == "engines")
        #expect(living.first?.scope == scope)
        #expect(living.first?.place.fileID.hasSuffix("RetiredInstancesTests.swift") == true)
        #expect(askers(retired) == ["outside of a factory"])
        withExtendedLifetime(kept) {}
        kept = nil
        let isDrained = Signal("the end of what was under way")
        retired.onDrained { isDrained.signal() }
        isDrained.wait()
        #expect(retired.living.isEmpty)
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
        #expect(retired.living.isEmpty)
        withExtendedLifetime((engine, wheels)) {}
    }

    @Test("name the factories that asked, each once, and nobody else")
    func askers() throws {
        try engines(1).commit(to: container)
        try generation(of: "cars") { registrar in
            registrar.register((any Car).self, scope: .shared) {
                _ = try $0.resolve((any Engine).self)
                return KeepingCar(try $0.resolve((any Engine).self))
            }
            registrar.register(KeepingCar.self) {
                KeepingCar(try $0.resolve((any Engine).self))
            }
        }.commit(to: container)
        let car = try container.resolve((any Car).self)
        let others = try (0..<3).map { _ in try container.resolve(KeepingCar.self) }
        let retired = try engines(2).replace(in: container)
        #expect(askers(retired) == ["Car of cars", "KeepingCar of cars"])
        withExtendedLifetime((car, others)) {}
    }

    @Test("name code outside only if it asked, before the factory or after it")
    func outside() throws {
        try engines(1).commit(to: container)
        try generation(of: "cars") {
            $0.register(KeepingCar.self) { KeepingCar(try $0.resolve((any Engine).self)) }
        }.commit(to: container)
        let car = try container.resolve(KeepingCar.self)
        let engine = try container.resolve((any Engine).self)
        let retired = try engines(2).replace(in: container)
        #expect(askers(retired) == ["KeepingCar of cars", "outside of a factory"])
        withExtendedLifetime((car, engine)) {}
    }

    struct Injecting: Sendable {
        @Injected var engine: any Engine
    }

    final class Asking: Sendable {
        let ask: @Sendable () throws -> any Engine

        init(_ ask: @escaping @Sendable () throws -> any Engine) {
            self.ask = ask
        }
    }

    @Test("name the factory whose object asks later", arguments: ["lazy", "provider", "resolver"])
    func later(form: String) throws {
        try engines(1).commit(to: container)
        try generation(of: "cars") { registrar in
            registrar.register(Asking.self, scope: form == "resolver" ? .shared : .transient) {
                switch form {
                case "lazy":
                    let lazy = $0.lazy((any Engine).self)
                    return Asking { try lazy.get() }
                case "provider":
                    let provider = $0.provider((any Engine).self)
                    return Asking { try provider.get() }
                default:
                    let resolver = $0.weaklyHeld
                    return Asking { try resolver.resolve((any Engine).self) }
                }
            }
        }.commit(to: container)
        let asking = try container.resolve(Asking.self)
        let engine = try asking.ask()
        // It is the asking object, also where another factory runs.
        try container.register((any Wheels).self) { _ in FixedWheels(count: try asking.ask().id) }
        _ = try container.resolve((any Wheels).self)
        let retired = try engines(2).replace(in: container)
        #expect(askers(retired) == ["Asking of cars"])
        withExtendedLifetime(engine) {}
    }

    @Test("name the factory that injects, and the one that is awaited")
    func injecting() async throws {
        try engines(1).commit(to: container)
        try generation(of: "cars") { registrar in
            registrar.register(Injecting.self) { _ in Injecting() }
            registrar.registerAsync((any Car).self) {
                let first = try $0.resolve((any Engine).self)
                _ = try await $0.resolveAsync((any Engine).self)
                return KeepingCar(first)
            }
        }.commit(to: container)
        let injecting = try container.resolve(Injecting.self)
        let car = try await container.resolveAsync((any Car).self)
        let retired = try engines(2).replace(in: container)
        #expect(askers(retired) == ["Car of cars", "Injecting of cars"])
        withExtendedLifetime((injecting, car)) {}
    }

    @Test("of awaited factories are told, too", arguments: [Scope.shared, .weak])
    func awaited(scope: Scope) async throws {
        func load(_ number: Int) -> StagedRegistrar {
            generation(of: "engines") { registrar in
                registrar.registerAsync((any Engine).self, scope: scope) { _ in
                    NumberedEngine(number)
                }
            }
        }
        try load(1).commit(to: container)
        try generation(of: "cars") {
            $0.registerAsync((any Car).self) {
                KeepingCar(try await $0.resolveAsync((any Engine).self))
            }
        }.commit(to: container)
        let car = try await container.resolveAsync((any Car).self)
        let retired = try load(2).replace(in: container)
        #expect(askers(retired) == ["Car of cars"])
        #expect(try await container.resolveAsync((any Engine).self).id == 2)
        withExtendedLifetime(car) {}
    }

    @Test("name whoever asked for what only leads to them")
    func forwarded() throws {
        try generation(of: "engines") { registrar in
            registrar.register(NumberedEngine.self, scope: .shared) { _ in NumberedEngine(1) }
            registrar.forward((any Engine).self, to: NumberedEngine.self) { $0 }
        }.commit(to: container)
        try generation(of: "cars") {
            $0.register((any Car).self) { KeepingCar(try $0.resolve((any Engine).self)) }
        }.commit(to: container)
        let car = try container.resolve((any Car).self)
        let retired = container.retire(module: "engines")
        #expect(askers(retired) == ["Car of cars"])
        withExtendedLifetime(car) {}
    }

    @Test("inside of decorated ones name the decorator")
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
        let askers = retired.living.map { $0.askers.map(\.description) }
        #expect(askers.count == 2)
        #expect(askers.first?.first?.hasPrefix("a decorator (host, ") == true)
        #expect(askers.last == ["outside of a factory"])
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
        #expect(retired.living.isEmpty)
        #expect(try container.resolve((any Engine).self).id == 2)
        let isDrained = Signal("the end of the factory")
        retired.onDrained { isDrained.signal() }
        goOn.signal()
        isResolved.wait()
        isDrained.wait()
        #expect(retired.isDrained)
        #expect(result.value?.id == 1)
        #expect(askers(retired) == ["outside of a factory"])
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
                #expect(retired.living.count == 1)
                #expect(engine.id == 1)
                return retired
            }
            #expect(retired.isDrained)
            #expect(retired.living.isEmpty)
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

    @Test("have one note for a place in the source, however many generations asked there")
    func generationsOfAskers() throws {
        try engines(1).commit(to: container)
        func cars() -> StagedRegistrar {
            generation(of: "cars") {
                $0.register((any Car).self) { KeepingCar(try $0.resolve((any Engine).self)) }
            }
        }
        var car: (any Car)?
        for _ in 0..<100 {
            _ = try cars().replace(in: container)
            car = try container.resolve((any Car).self)
        }
        let retired = try engines(2).replace(in: container)
        #expect(askers(retired) == ["Car of cars"])
        withExtendedLifetime(car) {}
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
        #expect(retired.living.count == 2)
        withExtendedLifetime((own, home)) {}
    }
}
