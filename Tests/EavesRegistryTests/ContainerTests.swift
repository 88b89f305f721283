// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesInterface
import EavesRegistry
import EavesTestSupport
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

@Suite("Lifetimes")
struct LifetimeTests {
    @Test("a container ends with its last reference, and its instances with it")
    func container() throws {
        weak var ended: Container?
        weak var engine: CountedEngine?
        do {
            let container = Container()
            ended = container
            try container.register((any Engine).self, scope: .shared) { _ in CountedEngine() }
            engine = try container.resolve((any Engine).self) as? CountedEngine
            #expect(engine != nil)
        }
        #expect(ended == nil)
        #expect(engine == nil)
    }

    @Test("a resolver that was kept keeps the container")
    func keptResolver() throws {
        final class Keeper: Car {
            let resolver: any Resolver
            var engine: any Engine {
                (try? resolver.resolve((any Engine).self)) ?? CountedEngine(counter: Counter())
            }
            init(_ resolver: any Resolver) { self.resolver = resolver }
        }
        weak var ended: Container?
        var car: (any Car)?
        do {
            let container = Container()
            ended = container
            let counter = Counter()
            counter.next()
            try container.registerEngine(counting: counter)
            try container.register((any Car).self) { Keeper($0) }
            car = try container.resolve((any Car).self)
        }
        #expect(ended != nil)
        #expect(car?.engine.id == 2)
        car = nil
        #expect(ended == nil)
    }

    @Test("a table that grows keeps everything in it")
    func growth() throws {
        let container = Container()
        for number in 0..<5_000 {
            try container.register((any Wheels).self, name: "\(number)") { _ in
                FixedWheels(count: number)
            }
        }
        for number in 0..<5_000 {
            #expect(try container.resolve((any Wheels).self, name: "\(number)").count == number)
        }
    }
}

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
