// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesInterface
import EavesRegistry
import Testing

@Suite("Hints in errors")
struct ErrorHintTests {
    private let container = Container()

    private func error(_ body: () throws -> some Sendable) throws -> ResolutionError {
        try #require(throws: ResolutionError.self) { _ = try body() }
    }

    @Test(
        "the error of a factory names module and place, in every scope",
        arguments: [Scope.transient, .graph, .shared, .weak])
    func place(scope: Scope) throws {
        try container.register((any Engine).self, scope: scope) { _ in throw Broken(what: "pump") }
        let line = #line - 1
        let error = try error { try container.resolve((any Engine).self) }
        #expect(
            error.description == """
                cannot create Engine: Broken(what: "pump")
                  registered: Engine (host, EavesRegistryTests/ErrorHintTests.swift:\(line))
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
            #expect(error.candidates.count == 1)
            #expect(error.candidates.first?.contains("ErrorHintTests.swift:") == true)
        }
    }

    @Test("who asks for a type in place of its protocol is told to ask for the protocol")
    func concrete() throws {
        try container.register((any Engine).self) { _ in CountedEngine() }
        try container.register((any Wheels).self) { _ in FixedWheels(count: 4) }
        let error = try error { try container.resolve(CountedEngine.self) }
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
        let error = try error { try container.resolve((any Engine).self) }
        #expect(error.candidates.count == 1)
        #expect(
            error.candidates.first?.hasSuffix(
                ": it implements Engine, and is registered as itself; register it as 'any Engine'")
                == true)
    }

    @Test("a recursion with runtime arguments that does not end says so, and shows both ends")
    func recursion() throws {
        try container.register {
            $0.register((any Wheels).self) { (resolver, count: Int) in
                try resolver.resolve((any Wheels).self, arguments: count + 1)
            }
        }
        let error = try error { try container.resolve((any Wheels).self, arguments: 1) }
        #expect(
            error.description == """
                creating Wheels(Int) asks for Wheels(Int) again and again: more than 100 calls of its \
                factory run inside each other
                  needed by: Wheels(Int) → Wheels(Int) → Wheels(Int) → Wheels(Int) → … 94 more … → \
                Wheels(Int) → Wheels(Int) → Wheels(Int) → Wheels(Int)
                """)
    }
}
