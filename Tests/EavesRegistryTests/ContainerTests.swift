// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesInterface
import EavesRegistry
import Testing

@Suite("Container")
struct ContainerTests {
    private let container = Container()

    @Test("passes runtime arguments to the factory, and tells them apart by their types")
    func arguments() throws {
        let staged = StagedRegistrar(module: "cars", settings: Settings())
        staged.register((any Wheels).self) { (_, count: Int) in FixedWheels(count: count) }
        staged.register((any Wheels).self) { (_, count: Int, text: String) in
            FixedWheels(count: count + text.count)
        }
        try staged.commit(to: container)
        #expect(try container.resolve((any Wheels).self, arguments: 3).count == 3)
        #expect(try container.resolve((any Wheels).self, arguments: 3, "four").count == 7)
        #expect(throws: ResolutionError.self) { try container.resolve((any Wheels).self) }
        _ = try failure { try container.resolve((any Wheels).self, arguments: "3") }
    }

    @Test("does not take a tuple for two arguments, nor an empty one for none")
    func tuples() throws {
        let staged = StagedRegistrar(module: "cars", settings: Settings())
        staged.register((any Wheels).self) { (_, first: Int, second: Int) in
            FixedWheels(count: first * 10 + second)
        }
        staged.register((any Wheels).self) { (_, both: (Int, Int)) in
            FixedWheels(count: both.0 * 100 + both.1)
        }
        staged.register((any Wheels).self) { (_, _: Void) in FixedWheels(count: 1) }
        try staged.commit(to: container)
        #expect(try container.resolve((any Wheels).self, arguments: 3, 4).count == 34)
        #expect(try container.resolve((any Wheels).self, arguments: (3, 4)).count == 304)
        #expect(try container.resolve((any Wheels).self, arguments: ()).count == 1)
        #expect(throws: ResolutionError.self) { try container.resolve((any Wheels).self) }
    }

    @Test(
        "knows names by their text, whatever their length and script",
        arguments: [
            "", "a", "eight ch", "fifteen letters", "a name of more than sixteen bytes", "é",
        ])
    func names(name: String) throws {
        try container.register((any Wheels).self, name: name) { _ in FixedWheels(count: 4) }
        #expect(try container.resolve((any Wheels).self, name: name).count == 4)
        #expect(throws: ResolutionError.self) { try container.resolve((any Wheels).self) }
        _ = try failure { try container.resolve((any Wheels).self, name: name + ".") }
    }

    @Test("an optional service is nil if nothing provides it, and an error if it cannot be created")
    func optional() throws {
        #expect(try container.resolveIfProvided((any Wheels).self) == nil)
        try container.register((any Wheels).self) { _ in FixedWheels(count: 4) }
        #expect(try container.resolveIfProvided((any Wheels).self)?.count == 4)
        #expect(try container.resolveIfProvided((any Wheels).self, name: "truck") == nil)
        try container.registerCar()
        _ = try failure { try container.resolveIfProvided((any Car).self) }
    }

    @Test("a resolver that a factory keeps continues to work, without the old chain")
    func keptResolver() throws {
        struct LazyCar: Car {
            let resolver: any Resolver
            var engine: any Engine {
                // Asking for a car again is no cycle: the first one was complete long ago.
                _ = try? resolver.resolve((any Car).self)
                return (try? resolver.resolve((any Engine).self)) ?? CountedEngine()
            }
        }
        let counter = Counter()
        try container.registerEngine(counting: counter)
        try container.register((any Car).self) { LazyCar(resolver: $0) }
        #expect(try container.resolve((any Car).self).engine.id == 1)
    }

    @Test("asks the supplier for a missing service, once, and uses what it registered")
    func supplier() throws {
        let asked = Counter()
        let container = Container { request, container in
            asked.next()
            guard request.service == "Engine" else { return false }
            try container.register((any Engine).self) { _ in CountedEngine() }
            return true
        }
        #expect(try container.resolve((any Engine).self).id == 1)
        #expect(try container.resolve((any Engine).self).id == 1)
        #expect(asked.count == 1)
        #expect(throws: ResolutionError.self) { try container.resolve((any Wheels).self) }
    }
}
