// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesInterface
import EavesRegistry
import Testing

@Suite("Overriding")
struct OverridingTests {
    @Test("the later registration counts, where it says so")
    func override() throws {
        let container = Container()
        try container.register((any Wheels).self, scope: .shared) { _ in FixedWheels(count: 4) }
        try container.register((any Wheels).self, name: "truck") { _ in FixedWheels(count: 6) }
        #expect(try container.resolve((any Wheels).self).count == 4)
        try container.register((any Wheels).self, overriding: true) { _ in FixedWheels(count: 3) }
        #expect(try container.resolve((any Wheels).self).count == 3)
        #expect(try container.resolve((any Wheels).self, name: "truck").count == 6)
        #expect(container.registrations.count == 2)
    }

    @Test("a duplicate that does not say so is an error, and changes nothing")
    func duplicate() throws {
        let container = Container()
        try container.register((any Wheels).self) { _ in FixedWheels(count: 4) }
        #expect(throws: RegistrationError.self) {
            try container.register((any Wheels).self) { _ in FixedWheels(count: 3) }
        }
        #expect(try container.resolve((any Wheels).self).count == 4)
    }

    @Test("takes the place of what is registered with others seeing either, and never none")
    func meanwhile() throws {
        let container = Container()
        try container.register((any Wheels).self) { _ in FixedWheels(count: 4) }
        let failures = Counter()
        Threads.run(4) { number in
            for _ in 0..<500 {
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
