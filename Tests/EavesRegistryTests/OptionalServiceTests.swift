// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

@_spi(Containers) import EavesInterface
import EavesRegistry
import Testing

@Suite("Optional services")
struct OptionalServiceTests {
    private let container = Container()
    private let runs = Counter()

    @Test("weak: the factory runs, and the object is one as long as other code keeps it")
    func weak() throws {
        let runs = runs
        try container.register((any Engine)?.self, scope: .weak) { _ in
            CountedEngine(counter: runs)
        }
        var engine = try #require(try container.resolve((any Engine)?.self))
        #expect(engine.id == 1)
        #expect(try container.resolve((any Engine)?.self) as AnyObject === engine as AnyObject)
        #expect(runs.count == 1)
        engine = CountedEngine()
        #expect(try container.resolve((any Engine)?.self)?.id == 2)
    }

    @Test("weak: `nil` is no object, so the factory runs again")
    func weakNil() throws {
        let runs = runs
        try container.register((any Engine)?.self, scope: .weak) { _ in
            runs.next() == 1 ? nil : CountedEngine()
        }
        #expect(try container.resolve((any Engine)?.self) == nil)
        #expect(try container.resolve((any Engine)?.self)?.id == 1)
    }

    @Test("weak: also where the factory is awaited, or runs on the main actor")
    func weakAwaited() async throws {
        let runs = runs
        try container.registerAsync((any Engine)?.self, scope: .weak) { _ in
            CountedEngine(counter: runs)
        }
        try container.registerOnMainActor((any Engine)?.self, name: "main", scope: .weak) { _ in
            CountedEngine(counter: runs)
        }
        for name in [nil, "main"] {
            let engine = try #require(
                try await container.resolveAsync((any Engine)?.self, name: name))
            let same = try await container.resolveAsync((any Engine)?.self, name: name)
            #expect(same as AnyObject === engine as AnyObject)
        }
        #expect(runs.count == 2)
    }

    @Test(
        "shared and named: `nil` is the instance, and is kept",
        arguments: [Scope.shared, .named("x")])
    func kept(scope: Scope) throws {
        let runs = runs
        try container.register((any Engine)?.self, scope: scope) { _ in
            runs.next() == 1 ? nil : CountedEngine()
        }
        #expect(try container.resolve((any Engine)?.self) == nil)
        #expect(try container.resolve((any Engine)?.self) == nil)
        container.reset(scope)
        #expect(try container.resolve((any Engine)?.self)?.id == 1)
    }

    @Test("a scope that is named like another one keeps its instances as a named one does")
    func namedLikeAnother() throws {
        let runs = runs
        for name in ["transient", "graph", "weak", "shared"] {
            try container.registerEngine(name: name, .named(name), counting: runs)
            let id = try container.resolve((any Engine).self, name: name).id
            #expect(try container.resolve((any Engine).self, name: name).id == id)
            container.reset(.graph)
            container.reset(.shared)
            #expect(try container.resolve((any Engine).self, name: name).id == id)
            container.reset(.named(name))
            #expect(try container.resolve((any Engine).self, name: name).id == id + 1)
        }
    }

    @Test("one that cannot be created is an error, also if that is because the parent lacks it")
    func ifProvided() throws {
        let parent = container
        let child = Container(parent: parent)
        try child.register((any Engine).self) { [parent] _ in
            try parent.resolve((any Engine).self)
        }
        #expect(throws: ResolutionError.self) { try child.resolveIfProvided((any Engine).self) }
        #expect(try parent.resolveIfProvided((any Engine).self) == nil)
        // The factory itself may ask whether the parent provides it.
        try child.register((any Engine).self, overriding: true) { [parent] _ in
            try parent.resolveIfProvided((any Engine).self) ?? CountedEngine()
        }
        #expect(try child.resolveIfProvided((any Engine).self)?.id == 1)
        try child.register((any Car).self) { resolver in
            #expect(try resolver.resolveIfProvided((any Wheels).self) == nil)
            #expect(try resolver.weaklyHeld.resolveIfProvided((any Wheels).self) == nil)
            return SimpleCar(engine: try resolver.resolve((any Engine).self))
        }
        #expect(try child.resolveIfProvided((any Car).self)?.engine.id == 1)
    }

    @Test("nothing is provided where the supplier says why, and the error says it too")
    func supplier() throws {
        struct Reason: Error, CustomStringConvertible { let description = "it is switched off" }
        let parent = Container(supplier: { _, _ in throw NotProvidedError(Reason()) })
        let child = Container(
            parent: parent, supplier: { _, _ in throw NotProvidedError(Broken(what: "x")) })
        #expect(try parent.resolveIfProvided((any Engine).self) == nil)
        #expect(try child.resolveIfProvided((any Engine).self) == nil)
        let error = try failure { try parent.provider((any Engine).self).get() }
        #expect(error.kind == "notRegistered")
        #expect(error.description == "no provider for Engine\n  it is switched off")
        let failing = Container(supplier: { _, _ in throw Broken(what: "module") })
        #expect(throws: ResolutionError.self) { try failing.resolveIfProvided((any Engine).self) }
    }
}

@Suite("Resolving by the expected type")
struct ExpectedTypeTests {
    private let container = Container()

    @Test("the expected type is the service, with a name or without")
    func expected() throws {
        try container.register((any Wheels).self) { _ in FixedWheels(count: 4) }
        try container.register((any Wheels).self, name: "truck") { _ in FixedWheels(count: 6) }
        let wheels: any Wheels = try container.resolve()
        let truck: any Wheels = try container.resolve(name: "truck")
        #expect(wheels.count == 4)
        #expect(truck.count == 6)
        try container.register((any Car).self) { resolver in
            SimpleCar(engine: try resolver.resolve())
        }
        let error = #expect(throws: ResolutionError.self) { try container.resolve((any Car).self) }
        #expect(error?.wanted.description == "Engine")
    }

    @Test("it works for services that are awaited, or created on the main actor")
    func awaited() async throws {
        try container.registerAsync((any Wheels).self) { _ in FixedWheels(count: 4) }
        try container.registerOnMainActor((any Engine).self, name: nil) { _ in CountedEngine() }
        let wheels: any Wheels = try await container.resolveAsync()
        #expect(wheels.count == 4)
        let id = try await MainActor.run {
            let engine: any Engine = try container.resolveOnMainActor()
            return engine.id
        }
        #expect(id == 1)
    }

    @Test("a service is provided if it is registered here or in a parent, or if a supplier has it")
    func provided() throws {
        let asked = Counter()
        let parent = Container(
            supplier: { _, _ in
                asked.next()
                return false
            }, supplierSearch: { $0.service == "Car" && $0.name == "fast" })
        let child = Container(parent: parent)
        try parent.register((any Wheels).self) { _ in throw Broken(what: "factory") }
        try child.registerAsync((any Engine).self, name: "awaited") { _ in CountedEngine() }
        #expect(child.isProvided((any Wheels).self))
        #expect(child.weaklyHeld.isProvided((any Wheels).self))
        #expect(child.isProvided((any Engine).self, name: "awaited"))
        #expect(!parent.isProvided((any Engine).self, name: "awaited"))
        #expect(!child.isProvided((any Engine).self))
        #expect(child.isProvided((any Car).self, name: "fast"))
        #expect(!child.isProvided((any Car).self))
        #expect(asked.count == 0)
    }

    @Test("a container that is gone provides nothing")
    func gone() throws {
        let resolver = try {
            let container = Container()
            try container.register((any Wheels).self) { _ in FixedWheels(count: 4) }
            return container.weaklyHeld
        }()
        #expect(!resolver.isProvided((any Wheels).self))
    }
}
