// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesInterface
import EavesRegistry
import EavesTestSupport
import Testing

@Suite("Overriding")
struct OverridingTests {
    private let container = Container()

    @Test("the later registration counts if it says so")
    func override() throws {
        try container.register((any Wheels).self, scope: .shared) { _ in FixedWheels(count: 4) }
        try container.register((any Wheels).self, name: "truck") { _ in FixedWheels(count: 6) }
        #expect(try container.resolve((any Wheels).self).count == 4)
        try container.register((any Wheels).self, overriding: true) { _ in FixedWheels(count: 3) }
        #expect(try container.resolve((any Wheels).self).count == 3)
        #expect(try container.resolve((any Wheels).self, name: "truck").count == 6)
        #expect(container.registrations.count == 2)
    }

    @Test("only resolveAll finds what modules register later, also after a reset")
    func lasting() throws {
        try container.register((any Wheels).self, scope: .shared, overriding: true) { _ in
            FixedWheels(count: 3)
        }
        #expect(container.hasOwn { $0.service == "Wheels" })
        #expect(!container.hasOwn { $0.service == "Engine" })
        container.reset(.shared)
        let staged = StagedRegistrar(module: "cars", settings: Settings())
        staged.register((any Wheels).self) { _ in FixedWheels(count: 4) }
        staged.register((any Engine).self) { _ in CountedEngine() }
        try staged.commit(to: container)
        #expect(try container.resolve((any Wheels).self).count == 3)
        #expect(try container.resolveAll((any Wheels).self).map(\.count) == [3, 4])
        #expect(try container.resolve((any Engine).self).id == 1)
        #expect(!container.hasOwn { $0.service == "Engine" })
        #expect(throws: RegistrationError.self) { try staged.commit(to: container) }
    }

    @Test("overrides everything that a registrar has collected")
    func staged() throws {
        try container.register((any Wheels).self) { _ in FixedWheels(count: 4) }
        let staged = StagedRegistrar(module: nil, settings: Settings())
        staged.register((any Wheels).self) { _ in FixedWheels(count: 3) }
        staged.override(in: container)
        #expect(try container.resolve((any Wheels).self).count == 3)
        #expect(container.registrations.count == 1)
        #expect(throws: RegistrationError.self) {
            try container.register((any Wheels).self) { _ in FixedWheels(count: 4) }
        }
    }

    @Test("overrides a service and decorates others in one step")
    func decorating() throws {
        try container.register((any Wheels).self) { _ in FixedWheels(count: 4) }
        try container.register((any Wheels).self, name: "truck") { _ in FixedWheels(count: 6) }
        try container.register(overriding: true) { registrar in
            registrar.register((any Wheels).self) { _ in FixedWheels(count: 3) }
            registrar.decorate((any Wheels).self, name: "truck") { _, inner in
                FixedWheels(count: inner.count + 100)
            }
        }
        #expect(try container.resolve((any Wheels).self).count == 3)
        #expect(try container.resolve((any Wheels).self, name: "truck").count == 106)
    }

    @Test("replaces a registration while others see the one or the other, and never nothing")
    func meanwhile() throws {
        try container.register((any Wheels).self) { _ in FixedWheels(count: 4) }
        let failures = Counter()
        Threads.run(4) { number in
            for _ in 0..<Soak.rounds(500) {
                do {
                    if number == 0 {
                        try container.register((any Wheels).self, overriding: true) { _ in
                            FixedWheels(count: 4)
                        }
                    } else {
                        _ = try container.resolve((any Wheels).self)
                    }
                } catch {
                    failures.next()
                }
            }
        }
        #expect(failures.count == 0)
    }
}
