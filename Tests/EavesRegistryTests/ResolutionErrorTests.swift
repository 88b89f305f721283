// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesInterface
import EavesRegistry
import Testing

@Suite("Errors of a resolution")
struct ResolutionErrorTests {
    private let container = Container()

    @Test("shows the chain to a missing service")
    func chain() throws {
        try container.registerCar()
        let error = try failure { try container.resolve((any Car).self) }
        #expect(error.wanted.service == "Engine")
        #expect(error.chain.map(\.service) == ["Car"])
        #expect(
            error.description == """
                no provider for Engine
                  needed by: Car → Engine
                """)
    }

    @Test("names candidates, with module and line")
    func candidates() throws {
        let staged = StagedRegistrar(module: "cars", settings: Settings())
        staged.register((any Wheels).self, name: "truck") { _ in FixedWheels(count: 6) }
        try staged.commit(to: container)
        let error = try failure { try container.resolve((any Wheels).self, name: "trucks") }
        let candidate = try #require(error.candidates.first)
        #expect(candidate.hasPrefix("Wheels named 'truck' (cars, EavesRegistryTests/"))
    }

    @Test("says that a candidate is another type of the same name")
    func sameName() throws {
        enum Elsewhere {
            struct Wheels: Sendable {}
        }
        try container.register(Elsewhere.Wheels.self) { _ in Elsewhere.Wheels() }
        let error = try failure { try container.resolve((any Wheels).self) }
        let candidate = try #require(error.candidates.first)
        #expect(candidate.contains("is another type than EavesRegistryTests.Wheels"))
    }

    @Test("with arguments a factory may come back to itself, up to a hundred times")
    func recursion() throws {
        try container.register { registrar in
            registrar.register((any Wheels).self) { (resolver, depth: Int) in
                if depth == 0 { return FixedWheels(count: 4) }
                return try resolver.resolve((any Wheels).self, arguments: depth - 1)
            }
        }
        #expect(try container.resolve((any Wheels).self, arguments: 100).count == 4)
        let error = try failure { try container.resolve((any Wheels).self, arguments: 101) }
        #expect(error.kind == "cycle")
        #expect(error.chain.count == 101)
        #expect(
            error.description == """
                creating Wheels(Int) asks for Wheels(Int) again and again: more than 100 calls of its \
                factory run inside each other
                  needed by: Wheels(Int) → Wheels(Int) → Wheels(Int) → Wheels(Int) → … 94 more … → \
                Wheels(Int) → Wheels(Int) → Wheels(Int) → Wheels(Int)
                """)
    }

    @Test(
        "a cycle is an error that shows it, and not a hang, also through the container itself",
        arguments: [Scope.transient, .graph, .shared], [false, true])
    func cycle(scope: Scope, isPastResolver: Bool) throws {
        try container.register((any Car).self, scope: scope) { [unowned container] resolver in
            let asked: any Resolver = isPastResolver ? container : resolver
            return SimpleCar(engine: try asked.resolve((any Engine).self))
        }
        try container.register((any Engine).self, scope: scope) { [unowned container] resolver in
            let asked: any Resolver = isPastResolver ? container : resolver
            _ = try asked.resolve((any Car).self)
            return CountedEngine()
        }
        let error = try failure { try container.resolve((any Car).self) }
        #expect(error.kind == "cycle")
        #expect(error.path == ["Car", "Engine", "Car"])
    }

    @Test("passes on a factory's error, and tries again the next time")
    func factoryFails() throws {
        let tries = Counter()
        try container.register((any Engine).self, scope: .shared) { _ in
            if tries.next() == 1 { throw Broken(what: "spark plug") }
            return CountedEngine()
        }
        let error = try failure { try container.resolve((any Engine).self) }
        #expect(error.kind == "factoryFailed")
        #expect(error.broken?.what == "spark plug")
        #expect(try container.resolve((any Engine).self).id == 1)
        #expect(tries.count == 2)
    }

    @Test("passes on why the provider could not be loaded")
    func supplierFails() throws {
        let container = Container { _, _ in throw Broken(what: "module") }
        let error = try failure { try container.resolve((any Engine).self) }
        #expect(error.kind == "moduleFailed")
        #expect(error.broken?.what == "module")
    }
}

@Suite("Hints in errors")
struct ErrorHintTests {
    private let container = Container()

    @Test(
        "the error of a factory names module and place, in every scope",
        arguments: [Scope.transient, .graph, .shared, .weak])
    func place(scope: Scope) throws {
        try container.register((any Engine).self, scope: scope) { _ in throw Broken(what: "pump") }
        let line = #line - 1
        let error = try failure { try container.resolve((any Engine).self) }
        #expect(
            error.description == """
                cannot create Engine: Broken(what: "pump")
                  registered: Engine (host, EavesRegistryTests/ResolutionErrorTests.swift:\(line))
                """)
    }

    @Test("also if the factory is awaited, or runs on the main actor")
    func awaitedPlace() async throws {
        try container.registerAsync((any Engine).self, scope: .shared) { _ in
            throw Broken(what: "pump")
        }
        try container.registerOnMainActor((any Engine).self, name: "main") { _ in
            throw Broken(what: "pump")
        }
        for name in [nil, "main"] {
            let error = try await failureAsync {
                try await container.resolveAsync((any Engine).self, name: name)
            }
            #expect(error.broken?.what == "pump")
            #expect(error.candidates.count == 1)
            #expect(error.candidates.first?.contains("ResolutionErrorTests.swift:") == true)
        }
    }

    @Test("who asks for a type in place of its protocol is told to ask for the protocol")
    func concrete() throws {
        try container.register((any Engine).self) { _ in CountedEngine() }
        try container.register((any Wheels).self) { _ in FixedWheels(count: 4) }
        let error = try failure { try container.resolve(CountedEngine.self) }
        #expect(error.candidates.count == 1)
        #expect(error.candidates.first?.hasPrefix("Engine (host, ") == true)
        #expect(
            error.candidates.first?.hasSuffix(
                ": CountedEngine implements it; ask for 'any Engine'") == true)
    }

    @Test("who asks for a protocol is told of a type that was registered in its place")
    func registeredConcrete() throws {
        try container.register(CountedEngine.self) { _ in CountedEngine() }
        try container.register(FixedWheels.self) { _ in FixedWheels(count: 4) }
        let error = try failure { try container.resolve((any Engine).self) }
        #expect(error.candidates.count == 1)
        #expect(
            error.candidates.first?.hasSuffix(
                ": it implements Engine, and is registered as itself; register it as 'any Engine'")
                == true)
    }
}
