// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesInterface
import EavesRegistry
import Testing

@Suite("Errors of a resolution")
struct ResolutionErrorTests {
    @Test("shows the chain to a missing service")
    func chain() throws {
        let container = Container()
        try container.register((any Car).self) {
            SimpleCar(engine: try $0.resolve((any Engine).self))
        }
        let error = try #require(throws: ResolutionError.self) {
            try container.resolve((any Car).self)
        }
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
        let container = Container()
        let staged = StagedRegistrar(module: "cars", settings: Settings())
        staged.register((any Wheels).self, name: "truck") { _ in FixedWheels(count: 6) }
        try staged.commit(to: container)
        let error = try #require(throws: ResolutionError.self) {
            try container.resolve((any Wheels).self, name: "trucks")
        }
        let candidate = try #require(error.candidates.first)
        #expect(candidate.hasPrefix("Wheels named 'truck' (cars, EavesRegistryTests/"))
    }

    @Test("says that a candidate is another type of the same name")
    func sameName() throws {
        enum Elsewhere {
            struct Wheels: Sendable {}
        }
        let container = Container()
        try container.register(Elsewhere.Wheels.self) { _ in Elsewhere.Wheels() }
        let error = try #require(throws: ResolutionError.self) {
            try container.resolve((any Wheels).self)
        }
        let candidate = try #require(error.candidates.first)
        #expect(candidate.contains("is another type than EavesRegistryTests.Wheels"))
    }

    @Test(
        "a cycle through the container itself is an error, too",
        arguments: [Scope.transient, .shared])
    func cyclePastTheResolver(scope: Scope) throws {
        let container = Container()
        try container.register((any Car).self, scope: scope) { [unowned container] _ in
            SimpleCar(engine: try container.resolve((any Engine).self))
        }
        try container.register((any Engine).self, scope: scope) { [unowned container] _ in
            _ = try container.resolve((any Car).self)
            return CountedEngine()
        }
        let error = try #require(throws: ResolutionError.self) {
            try container.resolve((any Car).self)
        }
        #expect((error.chain + [error.wanted]).map(\.service) == ["Car", "Engine", "Car"])
    }

    @Test("with arguments a factory may come back to itself, up to a hundred times")
    func recursion() throws {
        let container = Container()
        try container.register { registrar in
            registrar.register((any Wheels).self) { (resolver, depth: Int) in
                if depth == 0 { return FixedWheels(count: 4) }
                return try resolver.resolve((any Wheels).self, arguments: depth - 1)
            }
        }
        #expect(try container.resolve((any Wheels).self, arguments: 100).count == 4)
        let error = try #require(throws: ResolutionError.self) {
            try container.resolve((any Wheels).self, arguments: 101)
        }
        guard case .cycle = error.reason else {
            Issue.record("expected a cycle, found \(error)")
            return
        }
        #expect(error.chain.count == 101)
    }

    @Test("the chain is as deep as the needs")
    func deepChain() throws {
        let container = Container()
        let staged = StagedRegistrar(module: "cars", settings: Settings())
        staged.register((any Wheels).self) { (resolver, depth: Int) in
            depth == 0
                ? FixedWheels(count: try resolver.resolve((any Engine).self).id)
                : try resolver.resolve((any Wheels).self, arguments: depth - 1)
        }
        try staged.commit(to: container)
        let error = try #require(throws: ResolutionError.self) {
            try container.resolve((any Wheels).self, arguments: 50)
        }
        #expect(error.chain.count == 51)
        let endless = try #require(throws: ResolutionError.self) {
            try container.resolve((any Wheels).self, arguments: -1)
        }
        guard case .cycle = endless.reason else {
            Issue.record("expected a cycle, found \(endless)")
            return
        }
    }

    @Test(
        "a cycle is an error that shows it, and not a hang", arguments: [Scope.transient, .shared])
    func cycle(scope: Scope) throws {
        let container = Container()
        try container.register((any Car).self, scope: scope) {
            SimpleCar(engine: try $0.resolve((any Engine).self))
        }
        try container.register((any Engine).self, scope: scope) { resolver in
            _ = try resolver.resolve((any Car).self)
            return CountedEngine()
        }
        let error = try #require(throws: ResolutionError.self) {
            try container.resolve((any Car).self)
        }
        guard case .cycle = error.reason else {
            Issue.record("expected a cycle, found \(error)")
            return
        }
        #expect((error.chain + [error.wanted]).map(\.service) == ["Car", "Engine", "Car"])
    }

    @Test("passes on a factory's error, and tries again the next time")
    func factoryFails() throws {
        let container = Container()
        let tries = Counter()
        try container.register((any Engine).self, scope: .shared) { _ in
            if tries.next() == 1 { throw Broken(what: "spark plug") }
            return CountedEngine()
        }
        let error = try #require(throws: ResolutionError.self) {
            try container.resolve((any Engine).self)
        }
        guard case .factoryFailed(let reason) = error.reason else {
            Issue.record("expected the factory's own error, found \(error)")
            return
        }
        #expect(reason as? Broken == Broken(what: "spark plug"))
        #expect(try container.resolve((any Engine).self).id == 1)
        #expect(tries.count == 2)
    }

    @Test("passes on why the provider could not be loaded")
    func supplierFails() throws {
        let container = Container { _, _ in throw Broken(what: "module") }
        let error = try #require(throws: ResolutionError.self) {
            try container.resolve((any Engine).self)
        }
        guard case .moduleFailed(let reason) = error.reason else {
            Issue.record("expected the supplier's own error, found \(error)")
            return
        }
        #expect(reason as? Broken == Broken(what: "module"))
    }
}
