// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesInterface
import EavesRegistry
import Testing

@Suite("Resolving all")
struct ResolveAllTests {
    private let container = Container()

    private func register(
        _ module: String, _ counts: [String?: Int], chosen: Bool = true, in other: Container? = nil
    ) throws {
        let staged = StagedRegistrar(module: module, settings: Settings())
        for (name, count) in counts {
            staged.register((any Wheels).self, name: name) { _ in FixedWheels(count: count) }
        }
        try staged.commit(to: other ?? container) { _ in chosen }
    }

    private func counts(_ resolver: any Resolver) throws -> [Int] {
        try resolver.resolveAll((any Wheels).self).map(\.count)
    }

    @Test("sorts by host, module, and name, whatever the order of registration")
    func order() throws {
        try register("é", ["x": 41])
        try register("b", [nil: 30], chosen: false)
        try register("a", ["z": 23, "B": 21, "a": 22])
        try register("a-b", ["q": 25])
        try container.register((any Wheels).self, name: "host") { _ in FixedWheels(count: 12) }
        try container.register((any Wheels).self) { _ in FixedWheels(count: 11) }
        #expect(try counts(container) == [11, 12, 21, 22, 23, 25, 30, 41])
    }

    @Test("includes alternatives, which nothing else finds")
    func alternatives() throws {
        try register("b", [nil: 2, "two": 22], chosen: false)
        try register("a", [nil: 1], chosen: false)
        #expect(throws: ResolutionError.self) { try container.resolve((any Wheels).self) }
        try register("c", [nil: 3])
        #expect(try container.resolve((any Wheels).self).count == 3)
        _ = try failure { try container.resolve((any Wheels).self, name: "two") }
        #expect(try counts(container) == [1, 2, 22, 3])
        #expect(container.dump.description.contains("Wheels, transient, not chosen (a, "))
    }

    @Test("a module that registers an alternative twice gets an error")
    func duplicateAlternative() throws {
        let staged = StagedRegistrar(module: "a", settings: Settings())
        for count in 1...2 {
            staged.register((any Wheels).self) { _ in FixedWheels(count: count) }
        }
        let error = try #require(throws: RegistrationError.self) {
            try staged.commit(to: container) { _ in false }
        }
        #expect(error.problems.count == 1)
        #expect(try counts(container).isEmpty)
    }

    @Test(
        "respects scopes: a shared instance is created once under 100 threads, in both ways of asking"
    )
    func shared() throws {
        let counter = Counter()
        for (module, isChosen) in [("a", true), ("b", false)] {
            let staged = StagedRegistrar(module: module, settings: Settings())
            staged.register((any Engine).self, scope: .shared) { _ in
                CountedEngine(counter: counter)
            }
            try staged.commit(to: container) { _ in isChosen }
        }
        let wrong = Counter()
        let container = container
        Threads.run(100) { number in
            if number % 2 == 0 {
                let all = try? container.resolveAll((any Engine).self).map(\.id)
                if all?.sorted() != [1, 2] { wrong.next() }
            } else if (try? container.resolve((any Engine).self)) == nil {
                wrong.next()
            }
        }
        #expect(wrong.count == 0)
        #expect(counter.count == 2)
    }

    @Test("finds factories with exactly the given runtime arguments")
    func arguments() throws {
        for (module, factor) in [("a", 1), ("b", 10)] {
            let staged = StagedRegistrar(module: module, settings: Settings())
            staged.register((any Wheels).self) { (_, count: Int) in
                FixedWheels(count: count * factor)
            }
            staged.register((any Wheels).self) { (_, _: String) in FixedWheels(count: 0) }
            try staged.commit(to: container) { _ in module == "a" }
        }
        try register("c", [nil: 99])
        #expect(
            try container.resolveAll((any Wheels).self, arguments: 4).map(\.count) == [4, 40])
        #expect(try counts(container) == [99])
    }

    @Test("in a child begins with the child's own")
    func child() throws {
        let child = Container(parent: container)
        try register("a", [nil: 1])
        try register("b", [nil: 2], chosen: false)
        try register("z", [nil: 9], in: child)
        #expect(try counts(child) == [9, 1, 2])
        #expect(try counts(container) == [1, 2])
    }

    @Test("asks the suppliers of the container and its parents, and passes on their errors")
    func suppliers() throws {
        let parent = Container(supplierOfAll: { request, container in
            #expect(request == ServiceRequest((any Wheels).self))
            let staged = StagedRegistrar(module: "late", settings: Settings())
            staged.register((any Wheels).self) { _ in FixedWheels(count: 5) }
            try? staged.commit(to: container)
        })
        #expect(try counts(Container(parent: parent)) == [5])
        let broken = Container(supplierOfAll: { _, _ in throw Broken(what: "disk") })
        let error = try #require(throws: ResolutionError.self) { try counts(broken) }
        #expect(error.kind == "moduleFailed")
        #expect(error.broken?.what == "disk")
    }

    @Test("fails with the first error, and its chain")
    func failing() throws {
        try register("a", [nil: 1])
        let staged = StagedRegistrar(module: "b", settings: Settings())
        staged.register((any Wheels).self, name: "x") {
            FixedWheels(count: try $0.resolve((any Engine).self).id)
        }
        try staged.commit(to: container)
        let error = try #require(throws: ResolutionError.self) { try counts(container) }
        #expect(error.wanted.service == "Engine")
        #expect(error.chain.map(\.description) == ["Wheels named 'x'"])
    }

    @Test("in a factory of the same service is a cycle")
    func cycle() throws {
        try container.register((any Wheels).self, scope: .shared) {
            FixedWheels(count: try $0.resolveAll((any Wheels).self).count)
        }
        let error = try #require(throws: ResolutionError.self) { try counts(container) }
        #expect(error.kind == "cycle")
    }
}

@Suite("Child containers")
struct ChildContainerTests {
    private let parent = Container()

    @Test("see their parent's services, and not the reverse")
    func visibility() throws {
        let child = Container(parent: Container(parent: parent))
        try parent.register((any Wheels).self) { _ in FixedWheels(count: 4) }
        try child.register((any Wheels).self, name: "own") { _ in FixedWheels(count: 3) }
        #expect(try child.resolve((any Wheels).self).count == 4)
        #expect(try child.resolve((any Wheels).self, name: "own").count == 3)
        let error = try failure { try parent.resolve((any Wheels).self, name: "own") }
        #expect(error.candidates.count == 1)
    }

    @Test("are not seen by a parent's factories")
    func needs() throws {
        let child = Container(parent: parent)
        try parent.register((any Wheels).self) {
            FixedWheels(count: try $0.resolve((any Engine).self).id)
        }
        try child.register((any Engine).self) { _ in CountedEngine() }
        let error = try failure { try child.resolve((any Wheels).self) }
        #expect(error.wanted.service == "Engine")
        #expect(error.chain.map(\.service) == ["Wheels"])
    }

    @Test("pass runtime arguments on to their parent")
    func arguments() throws {
        let staged = StagedRegistrar(module: "cars", settings: Settings())
        staged.register((any Wheels).self) { (_, count: Int) in FixedWheels(count: count) }
        try staged.commit(to: parent)
        let child = Container(parent: parent)
        #expect(try child.resolve((any Wheels).self, arguments: 3).count == 3)
    }

    @Test("let their parent's supplier register a missing service in the parent")
    func supplier() throws {
        let parent = Container { _, container in
            try container.register((any Wheels).self) { _ in FixedWheels(count: 4) }
            return true
        }
        #expect(try Container(parent: parent).resolve((any Wheels).self).count == 4)
        #expect(parent.registrations.count == 1)
    }

    @Test("name candidates in themselves and their parent")
    func candidates() throws {
        let child = Container(parent: parent)
        try parent.register((any Wheels).self, name: "four") { _ in FixedWheels(count: 4) }
        try child.register((any Wheels).self, name: "three") { _ in FixedWheels(count: 3) }
        let error = try failure { try child.resolve((any Wheels).self) }
        #expect(
            error.candidates.map { $0.prefix { $0 != "(" } } == [
                "Wheels named 'four' ", "Wheels named 'three' ",
            ])
    }
}
