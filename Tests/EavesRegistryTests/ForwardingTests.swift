// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesInterface
import EavesRegistry
import Testing

private protocol Reading: Sendable { func read() -> Int }
private protocol Store: Reading { func write(_ value: Int) }

private final class Files: Store {
    let engine = CountedEngine()
    let number: Int

    init(_ number: Int = 0) {
        self.number = number
    }

    func read() -> Int { number }
    func write(_ value: Int) {}
}

@Suite("Forwarding one service to another")
struct ForwardingTests {
    private let container = Container()

    @Test(
        "gives the instance of the target's scope",
        arguments: [(Scope.shared, true), (.transient, false), (.weak, true)])
    func sameInstance(scope: Scope, isSame: Bool) throws {
        try container.register((any Store).self, scope: scope) { _ in Files() }
        try container.forward((any Reading).self, to: (any Store).self) { $0 }
        let store = try container.resolve((any Store).self) as? Files
        let reading = try container.resolve((any Reading).self) as? Files
        #expect(store != nil && reading != nil)
        #expect((store === reading) == isSame)
    }

    @Test("is a part of the same graph")
    func graph() throws {
        try container.register((any Store).self, scope: .graph) { _ in Files() }
        try container.forward((any Reading).self, to: (any Store).self) { $0 }
        try container.register((any Car).self) { resolver in
            let store = try resolver.resolve((any Store).self) as? Files
            let reading = try resolver.resolve((any Reading).self) as? Files
            #expect(store != nil && store === reading)
            return SimpleCar(engine: CountedEngine())
        }
        _ = try container.resolve((any Car).self)
    }

    @Test("goes from name to name, and passes on runtime arguments")
    func namesAndArguments() throws {
        let staged = StagedRegistrar(module: "files", settings: Settings())
        staged.register((any Store).self, name: "disk") { (_, number: Int, _: String) in
            Files(number)
        }
        staged.forward(
            (any Reading).self, name: "r", to: (any Store).self, targetName: "disk",
            arguments: Int.self, String.self
        ) { $0 }
        try staged.commit(to: container)
        let reading = try container.resolve((any Reading).self, name: "r", arguments: 7, "x")
        #expect(reading.read() == 7)
        _ = try failure { try container.resolve((any Reading).self, name: "r") }
    }

    @Test("of a module goes to its own, whichever module is chosen")
    func ownFirst() throws {
        for (module, number) in [("a", 1), ("b", 2)] {
            let staged = StagedRegistrar(module: module, settings: Settings())
            staged.register((any Store).self, scope: .shared) { _ in Files(number) }
            staged.forward((any Reading).self, name: module, to: (any Store).self) { $0 }
            try staged.commit(to: container) {
                $0.request.service == "Reading" || module == "b"
            }
        }
        #expect(try container.resolve((any Store).self).read() == 2)
        #expect(try container.resolve((any Reading).self, name: "a").read() == 1)
        #expect(try container.resolve((any Reading).self, name: "b").read() == 2)
        let first = try container.resolve((any Reading).self, name: "a") as? Files
        let all = try container.resolveAll((any Store).self).map { $0 as? Files }
        #expect(first != nil && all.first == first)
    }

    @Test("to a service that nothing provides says so, with the chain")
    func missing() throws {
        try container.forward((any Reading).self, to: (any Store).self) { $0 }
        let error = try failure { try container.resolve((any Reading).self) }
        #expect(error.wanted.service == "Store")
        #expect(error.chain.map(\.service) == ["Reading"])
        #expect(container.validate().map(\.description).count == 1)
    }

    @Test("that leads back to itself is a cycle")
    func circle() throws {
        try container.forward((any Reading).self, to: (any Store).self) { $0 }
        try container.forward((any Store).self, to: (any Reading).self) { _ in Files() }
        let error = try failure { try container.resolve((any Reading).self) }
        #expect(error.kind == "cycle")
    }

    @Test("that cannot convert fails as a factory does")
    func unconvertible() throws {
        try container.register((any Store).self, scope: .shared) { _ in Files() }
        try container.forward((any Reading).self, to: (any Store).self) { _ in
            throw Broken(what: "cast")
        }
        let error = try failure { try container.resolve((any Reading).self) }
        #expect(error.wanted.service == "Reading")
    }

    @Test("stands in the dump")
    func dump() throws {
        try container.forward(
            (any Reading).self, to: (any Store).self, targetName: "disk", fileID: "A/B.swift",
            line: 3
        ) { $0 }
        #expect(
            container.dump.description.hasSuffix(
                ".Reading, forwarded to Store named 'disk' (host, A/B.swift:3)"))
    }
}

extension Files: Equatable {
    static func == (one: Files, other: Files) -> Bool { one === other }
}
