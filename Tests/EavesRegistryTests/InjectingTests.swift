// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesInterface
import EavesRegistry
import Testing

@Suite("Initialisers that are registered")
struct InjectingTests {
    /// A car that takes its parts, each in another way.
    private final class Parts: Car, Sendable {
        let engine: any Engine
        let wheels: (any Wheels)?
        let later: Lazy<any Wheels>?
        let each: Provider<any Engine>?

        init(engine: any Engine, wheels: any Wheels) {
            self.engine = engine
            self.wheels = wheels
            later = nil
            each = nil
        }

        init(engine: any Engine, spare: (any Wheels)?) throws {
            self.engine = engine
            wheels = spare
            later = nil
            each = nil
            if spare?.count == 13 { throw Broken(what: "wheels") }
        }

        init(engine: any Engine, later: Lazy<any Wheels>, each: Provider<any Engine>) {
            self.engine = engine
            wheels = nil
            self.later = later
            self.each = each
        }

        init(awaiting engine: any Engine, wheels: (any Wheels)?) async throws {
            self.engine = engine
            self.wheels = wheels
            later = nil
            each = nil
        }
    }

    private let container = Container()

    private func parts(name: String? = nil) throws -> Parts {
        try #require(try container.resolve((any Car).self, name: name) as? Parts)
    }

    private func registerParts() throws {
        let counter = Counter()
        try container.registerEngine(counting: counter)
        try container.register((any Wheels).self, scope: .shared) { _ in FixedWheels(count: 4) }
    }

    @Test("get their parameters, under a name and in a scope")
    func services() throws {
        try registerParts()
        try container.register {
            $0.register((any Car).self, injecting: Parts.init(engine:wheels:))
            $0.register(
                (any Car).self, name: "kept", scope: .shared, injecting: Parts.init(engine:wheels:))
        }
        #expect(try parts().engine.id == 1)
        #expect(try parts().engine.id == 2)
        #expect(try parts().wheels?.count == 4)
        #expect(try parts(name: "kept") === parts(name: "kept"))
    }

    @Test("an optional parameter is nil if nothing provides it, and an initialiser may throw")
    func optional() throws {
        try container.register((any Engine).self) { _ in CountedEngine() }
        try container.register {
            $0.register((any Car).self, injecting: Parts.init(engine:spare:))
        }
        #expect(try parts().wheels == nil)
        #expect(container.validate().isEmpty)
        try container.register((any Wheels).self) { _ in FixedWheels(count: 13) }
        let error = #expect(throws: ResolutionError.self) { try parts() }
        #expect(error?.description.contains("Broken(what: \"wheels\")") == true)
    }

    @Test("a lazy parameter and a provider resolve later")
    func later() throws {
        try container.register {
            $0.register((any Engine).self) { _ in CountedEngine() }
            $0.register((any Car).self, injecting: Parts.init(engine:later:each:))
        }
        let car = try parts()
        #expect(throws: ResolutionError.self) { try car.later?.get() }
        try container.register((any Wheels).self) { _ in FixedWheels(count: 4) }
        #expect(try car.later?.get().count == 4)
        #expect(try car.each?.get().id == 1)
    }

    @Test("validation sees a missing parameter, and one that the instance would keep too long")
    func validation() throws {
        try container.register((any Engine).self) { _ in CountedEngine() }
        try container.register {
            $0.register(
                (any Car).self, scope: .shared, injecting: Parts.init(engine:wheels:))
            $0.register(
                (any Car).self, name: "later", scope: .shared,
                injecting: { (later: Lazy<any Wheels>, each: Provider<any Engine>) in
                    Parts(engine: CountedEngine(), later: later, each: each)
                })
        }
        let problems = container.validate().map { problem -> String in
            switch problem {
            case .missing(let need, let registration, _): "\(registration.request) \(need.request)"
            case .captive(let held, let registration):
                "\(registration.request) keeps \(held.request)"
            default: "\(problem)"
            }
        }
        #expect(problems == ["Car keeps Engine", "Car Wheels", "Car named 'later' Wheels"])
    }

    @Test("validation sees a parameter that several modules provide")
    func ambiguous() throws {
        for module in ["a", "b"] {
            let staged = StagedRegistrar(module: module, settings: Settings())
            staged.register((any Wheels).self) { _ in FixedWheels(count: 4) }
            try staged.commit(to: container) { _ in false }
        }
        try container.register {
            $0.register(
                (any Car).self,
                injecting: { (wheels: (any Wheels)?) in
                    SimpleCar(engine: CountedEngine())
                })
        }
        let problem = try #require(container.validate().first)
        guard case .ambiguous = problem else { throw problem }
    }

    @Test("async initialisers await their parameters")
    func async() async throws {
        try container.registerAsync((any Engine).self, scope: .shared) { _ in CountedEngine() }
        try container.register {
            $0.registerAsync((any Car).self, injecting: Parts.init(awaiting:wheels:))
            $0.registerAsync(
                (any Car).self, name: "plain", injecting: Parts.init(engine:spare:))
        }
        let car = try await container.resolveAsync((any Car).self) as? Parts
        #expect(car?.engine.id == 1)
        #expect(car?.wheels == nil)
        try container.registerAsync((any Wheels).self) { _ in FixedWheels(count: 4) }
        let other = try await container.resolveAsync((any Car).self, name: "plain") as? Parts
        #expect(other?.wheels?.count == 4)
        #expect(container.validate().isEmpty)
    }

    @MainActor
    private final class Window: Car {
        nonisolated let engine: any Engine
        let number = 1

        init(engine: any Engine, wheels: (any Wheels)?) {
            self.engine = engine
        }
    }

    @Test("initialisers of the main actor get what is created there")
    @MainActor
    func mainActor() async throws {
        try container.registerOnMainActor((any Engine).self) { _ in CountedEngine() }
        try container.register {
            $0.registerOnMainActor((any Car).self, injecting: Window.init)
        }
        #expect(try container.resolveOnMainActor((any Car).self).engine.id == 1)
        #expect(try await container.resolveAsync((any Car).self).engine.id == 1)
    }

    private struct Asking: Car, Feature {
        let engine: any Engine

        init(resolver: any Resolver) throws {
            engine = try resolver.resolve()
        }

        func launch(_ launch: Launch) async throws -> ExitCode { .success }
    }

    @Test("a closure that takes a resolver is a factory, whatever it calls")
    func trailingClosure() async throws {
        try registerParts()
        try container.register {
            $0.register((any Car).self) { resolver in try Asking(resolver: resolver) }
            $0.register((any Car).self, name: "a") { try Asking(resolver: $0) }
            $0.register((any Car).self) { (resolver, _: String) in try Asking(resolver: resolver) }
            $0.registerFeature("asking") { resolver in try Asking(resolver: resolver) }
            $0.registerAsync((any Car).self, name: "b") { resolver in
                try Asking(resolver: resolver)
            }
            $0.registerOnMainActor((any Car).self, name: "c") { resolver in
                try Asking(resolver: resolver)
            }
        }
        #expect(container.validate().isEmpty)
        #expect(try parts(of: container).engine.id == 1)
        #expect(try await container.resolveAsync((any Car).self, name: "b").engine.id == 2)
        #expect(try await container.resolveAsync((any Car).self, name: "c").engine.id == 3)
    }

    private func parts(of container: Container) throws -> any Car { try container.resolve() }

    @Test("a feature is registered by its initialiser, too")
    func feature() throws {
        struct Quiet: Feature {
            let engine: any Engine
            func launch(_ launch: Launch) async throws -> ExitCode { .success }
        }
        try registerParts()
        try container.register { $0.registerFeature("quiet", injecting: Quiet.init) }
        #expect(try container.resolve((any Feature).self, name: "quiet") is Quiet)
    }
}
