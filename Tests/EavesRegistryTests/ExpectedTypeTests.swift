// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

@_spi(Containers) import EavesInterface
import EavesRegistry
import Testing

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
