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

    @Test(
        "a cycle through the container itself is an error, too",
        arguments: [Scope.transient, .shared])
    func cyclePastTheResolver(scope: Scope) throws {
        try container.register((any Car).self, scope: scope) { [unowned container] _ in
            SimpleCar(engine: try container.resolve((any Engine).self))
        }
        try container.register((any Engine).self, scope: scope) { [unowned container] _ in
            _ = try container.resolve((any Car).self)
            return CountedEngine()
        }
        let error = try failure { try container.resolve((any Car).self) }
        #expect(error.path == ["Car", "Engine", "Car"])
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
    }

    @Test(
        "a cycle is an error that shows it, and not a hang", arguments: [Scope.transient, .shared])
    func cycle(scope: Scope) throws {
        try container.registerCar(scope)
        try container.register((any Engine).self, scope: scope) { resolver in
            _ = try resolver.resolve((any Car).self)
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
