// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesInterface
import EavesRegistry
import EavesTestSupport
import Testing

@Suite("Names")
struct NameTests {
    @Test(
        "that are equal as texts are one name",
        arguments: [
            ("K2", "\u{212A}2"), ("a;b", "a\u{37E}b"), ("`", "\u{1FEF}"),
            ("long enough for two words, K", "long enough for two words, \u{212A}"),
            ("é", "e\u{301}"), ("Kü", "\u{212A}u\u{308}"), ("Å", "\u{212B}"),
        ])
    func equal(one: String, other: String) throws {
        #expect(one == other)
        for (registered, asked) in [(one, other), (other, one)] {
            let container = Container()
            try container.register((any Wheels).self, name: registered) { _ in FixedWheels(count: 4)
            }
            #expect(try container.resolve((any Wheels).self, name: asked).count == 4)
            #expect(throws: RegistrationError.self) {
                try container.register((any Wheels).self, name: asked) { _ in FixedWheels(count: 5)
                }
            }
        }
    }

    @Test("beyond ASCII that equal one in ASCII are all covered")
    func complete() throws {
        let container = Container()
        let ascii = (UInt8(0)..<128).map { String(Unicode.Scalar($0)) }
        var known: [String: Int] = [:]
        for (index, name) in ascii.enumerated() {
            known[name] = index
            try container.register((any Wheels).self, name: name) { _ in FixedWheels(count: index) }
        }
        var equal: [UInt32] = []
        // These three are all there are; the others are looked through in parts.
        let three: [UInt32] = [0x37E, 0x1FEF, 0x212A]
        let others = Soak.sample(UInt32(0x80)...0x10FFFF, every: 20).filter { !three.contains($0) }
        for value in three + others {
            guard let scalar = Unicode.Scalar(value), let index = known[String(scalar)] else {
                continue
            }
            equal.append(value)
            let wheels = try container.resolve((any Wheels).self, name: String(scalar))
            #expect(wheels.count == index)
        }
        #expect(equal == three)
    }

    @Test("of alternatives cannot be guessed")
    func alternatives() throws {
        let container = Container()
        let staged = StagedRegistrar(module: "a", settings: Settings())
        staged.register((any Wheels).self, name: "n") { _ in FixedWheels(count: 4) }
        try staged.commit(to: container) { _ in false }
        for name in ["a", "a\0n", "n"] {
            _ = try failure { try container.resolve((any Wheels).self, name: name) }
        }
    }
}
