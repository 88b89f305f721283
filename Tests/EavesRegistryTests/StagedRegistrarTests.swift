// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesInterface
import EavesRegistry
import Testing

@Suite("Registering as one step")
struct StagedRegistrarTests {
    private let container = Container()

    @Test("nothing is visible before it is committed")
    func staged() throws {
        let staged = StagedRegistrar(module: "cars", settings: Settings())
        staged.register((any Wheels).self) { _ in FixedWheels(count: 4) }
        #expect(throws: ResolutionError.self) { try container.resolve((any Wheels).self) }
        try staged.commit(to: container)
        #expect(try container.resolve((any Wheels).self).count == 4)
    }

    @Test("a duplicate refuses everything, and names both places")
    func duplicate() throws {
        let first = StagedRegistrar(module: "cars", settings: Settings())
        first.register((any Wheels).self) { _ in FixedWheels(count: 4) }
        try first.commit(to: container)
        let second = StagedRegistrar(module: "trucks", settings: Settings())
        second.register((any Engine).self) { _ in CountedEngine() }
        second.register((any Wheels).self) { _ in FixedWheels(count: 6) }
        let error = try #require(throws: RegistrationError.self) {
            try second.commit(to: container)
        }
        let problem = try #require(error.problems.first)
        #expect(problem.earlier.module == "cars")
        #expect(problem.registration.module == "trucks")
        #expect(error.description.contains("StagedRegistrarTests.swift:"))
        #expect(try container.resolve((any Wheels).self).count == 4)
        #expect(throws: ResolutionError.self) { try container.resolve((any Engine).self) }
    }

    @Test("keeps the life cycle of the module, and refuses a second one with the types of both")
    func lifecycle() throws {
        struct Fuel: Lifecycle {}
        struct Brakes: Lifecycle {}
        let staged = StagedRegistrar(module: "cars", settings: Settings())
        #expect(try staged.lifecycle() == nil)
        staged.lifecycle(Fuel())
        #expect(try staged.lifecycle() is Fuel)
        staged.lifecycle(Brakes())
        let error = try #require(throws: SecondLifecycleError.self) { try staged.lifecycle() }
        #expect("\(error)".contains("registers 2 life cycles, and a module has one: Fuel, Brakes"))
    }
}
