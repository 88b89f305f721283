// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesInterface
import EavesRegistry
import Testing

private struct Bigger: Wheels {
    let inner: any Wheels
    let by: Int
    var count: Int { inner.count * 10 + by }
}

@Suite("Decorators")
struct DecoratorTests {
    private let container = Container()

    private func decorate(_ by: Int, name: String? = nil, counter: Counter = Counter()) {
        container.decorate((any Wheels).self, name: name) { _, inner in
            counter.next()
            return Bigger(inner: inner, by: by)
        }
    }

    @Test("are applied in their order, before and after the service is registered")
    func order() throws {
        decorate(1)
        try container.register((any Wheels).self) { _ in FixedWheels(count: 4) }
        decorate(2)
        #expect(try container.resolve((any Wheels).self).count == 412)
        decorate(3)
        #expect(try container.resolve((any Wheels).self).count == 4123)
    }

    @Test("are not applied to awaited services, and the dump says so")
    func awaited() async throws {
        decorate(1)
        try container.registerAsync((any Wheels).self) { _ in FixedWheels(count: 4) }
        #expect(try await container.resolveAsync((any Wheels).self).count == 4)
        #expect(container.dump.entries.map(\.decorators) == [[]])
    }

    @Test("apply to one name, whatever the arguments are")
    func names() throws {
        try container.register((any Wheels).self) { _ in FixedWheels(count: 4) }
        let staged = StagedRegistrar(module: "cars", settings: Settings())
        staged.register((any Wheels).self, name: "n") { (_, count: Int) in FixedWheels(count: count)
        }
        staged.register((any Wheels).self, name: "n") { _ in FixedWheels(count: 7) }
        try staged.commit(to: container)
        decorate(1, name: "n")
        #expect(try container.resolve((any Wheels).self).count == 4)
        #expect(try container.resolve((any Wheels).self, name: "n").count == 71)
        #expect(try container.resolve((any Wheels).self, name: "n", arguments: 9).count == 91)
    }

    @Test("that come late decorate the existing instance, which is not created again")
    func late() throws {
        let made = Counter()
        try container.registerEngine(.shared, counting: made)
        let first = try container.resolve((any Engine).self)
        container.decorate((any Engine).self) { _, inner in
            #expect(inner as? CountedEngine === first as? CountedEngine)
            return inner
        }
        #expect(try container.resolve((any Engine).self).id == 1)
        #expect(made.count == 1)
    }

    @Test("that come during a creation decorate the same instance, created once")
    func whileMaking() throws {
        for _ in 0..<50 {
            let container = Container()
            let made = Counter()
            let decorated = Counter()
            try container.registerEngine(.shared, counting: made)
            Threads.run(8) { number in
                if number == 0 {
                    container.decorate((any Engine).self) { _, inner in
                        decorated.next()
                        return inner
                    }
                } else {
                    _ = try? container.resolve((any Engine).self)
                }
            }
            #expect(try container.resolve((any Engine).self).id == 1)
            #expect(made.count == 1)
            #expect(decorated.count == 1)
        }
    }

    @Test("keep the scope: graph, weak, and named")
    func scopes() throws {
        let counter = Counter()
        for scope in [Scope.graph, .weak, .named("session")] {
            try container.registerEngine(name: scope.name, scope, counting: counter)
            container.decorate((any Engine).self, name: scope.name) { _, inner in inner }
        }
        try container.register((any Car).self) { resolver in
            let first = try resolver.resolve((any Engine).self, name: "graph").id
            let second = try resolver.resolve((any Engine).self, name: "graph").id
            #expect(first == second)
            return SimpleCar(engine: CountedEngine())
        }
        _ = try container.resolve((any Car).self)
        #expect(counter.count == 1)
        do {
            let kept = try container.resolve((any Engine).self, name: "weak")
            #expect(try container.resolve((any Engine).self, name: "weak").id == kept.id)
        }
        #expect(try container.resolve((any Engine).self, name: "weak").id == 3)
        #expect(try container.resolve((any Engine).self, name: "session").id == 4)
        #expect(try container.resolve((any Engine).self, name: "session").id == 4)
        container.reset(.named("session"))
        #expect(try container.resolve((any Engine).self, name: "session").id == 5)
    }

    @Test("may resolve, and show once in the chain")
    func chain() throws {
        try container.register((any Wheels).self) {
            FixedWheels(count: try $0.resolve((any Engine).self).id)
        }
        container.decorate((any Wheels).self) { resolver, inner in
            Bigger(inner: inner, by: try resolver.resolve((any Engine).self, name: "d").id)
        }
        let inner = try failure { try container.resolve((any Wheels).self) }
        #expect(inner.chain.map(\.service) == ["Wheels"])
        try container.register((any Engine).self) { _ in CountedEngine() }
        let outer = try failure { try container.resolve((any Wheels).self) }
        #expect(outer.wanted.name == "d")
        #expect(outer.chain.map(\.service) == ["Wheels"])
    }

    @Test("that ask for the service that they decorate are a cycle")
    func cycle() throws {
        try container.register((any Wheels).self) { _ in FixedWheels(count: 4) }
        container.decorate((any Wheels).self) { resolver, _ in
            try resolver.resolve((any Wheels).self)
        }
        let error = try failure { try container.resolve((any Wheels).self) }
        #expect(error.kind == "cycle")
    }

    @Test("of a module apply to its own services, and go with it")
    func modules() throws {
        func stage(_ module: String, _ count: Int, by: Int, chosen: Bool) throws {
            let staged = StagedRegistrar(module: module, settings: Settings())
            staged.decorate((any Wheels).self) { _, inner in Bigger(inner: inner, by: by) }
            staged.register((any Wheels).self) { _ in FixedWheels(count: count) }
            try staged.commit(to: container) { _ in chosen }
        }
        try stage("a", 4, by: 1, chosen: true)
        try stage("b", 6, by: 2, chosen: false)
        #expect(try container.resolve((any Wheels).self).count == 41)
        #expect(try container.resolveAll((any Wheels).self).map(\.count) == [41, 62])
        decorate(9)
        #expect(try container.resolveAll((any Wheels).self).map(\.count) == [419, 629])
        container.unregister(module: "a")
        #expect(try container.resolveAll((any Wheels).self).map(\.count) == [629])
        #expect(container.content.decorators.map(\.module) == ["b", nil])
        container.unregister(module: nil)
        #expect(try container.resolveAll((any Wheels).self).map(\.count) == [62])
    }

    @Test("of the host stay when it overrides a service, those of the module do not")
    func overriding() throws {
        let staged = StagedRegistrar(module: "a", settings: Settings())
        staged.register((any Wheels).self) { _ in FixedWheels(count: 4) }
        staged.decorate((any Wheels).self) { _, inner in Bigger(inner: inner, by: 1) }
        try staged.commit(to: container)
        decorate(2)
        #expect(try container.resolve((any Wheels).self).count == 412)
        try container.register((any Wheels).self, overriding: true) { _ in FixedWheels(count: 8) }
        #expect(try container.resolve((any Wheels).self).count == 82)
    }

    @Test("stand in the dump, in their order")
    func dump() throws {
        try container.register((any Wheels).self, fileID: "A/B.swift", line: 1) { _ in
            FixedWheels(count: 4)
        }
        for line in [5, 6] as [UInt] {
            container.decorate((any Wheels).self, fileID: "A/C.swift", line: line) { _, inner in
                inner
            }
        }
        #expect(
            container.dump.description.hasSuffix(
                ".Wheels, transient, decorated (host, A/C.swift:5), "
                    + "decorated (host, A/C.swift:6) (host, A/B.swift:1)"))
    }
}
