// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesInterface
import EavesRegistry
import Testing

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

    @Test("share their parent's shared instances")
    func shared() throws {
        let counter = Counter()
        try parent.registerEngine(.shared, counting: counter)
        #expect(try Container(parent: parent).resolve((any Engine).self).id == 1)
        #expect(try Container(parent: parent).resolve((any Engine).self).id == 1)
        #expect(counter.count == 1)
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
