// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesInterface
import EavesRegistry
import Testing

@Suite("Dump of a container")
struct ContainerDumpTests {
    @Test("lists registrations with module, place, and whether an instance exists")
    func text() throws {
        let container = Container()
        try container.register(
            (any Wheels).self, name: "truck", scope: .shared, fileID: "Cars/Cars.swift", line: 7
        ) { _ in FixedWheels(count: 6) }
        let staged = StagedRegistrar(module: "cars", settings: Settings())
        staged.register((any Engine).self, fileID: "Cars/Cars.swift", line: 8) {
            (_, _: Int) in CountedEngine()
        }
        try staged.commit(to: container)
        _ = try container.resolve((any Wheels).self, name: "truck")
        #expect(
            container.dump.description == """
                EavesRegistryTests.Engine(Int), transient (cars, Cars/Cars.swift:8)
                EavesRegistryTests.Wheels named 'truck', shared, made (host, Cars/Cars.swift:7)
                """)
    }

    @Test("does not depend on the order of registration")
    func order() throws {
        let names = ["a", "b", "c", "d"]
        let dumps = try [names, names.reversed()].map { names in
            let container = Container()
            for name in names {
                try container.register(
                    (any Wheels).self, name: name, fileID: "Cars/Cars.swift", line: 1
                ) { _ in FixedWheels(count: 4) }
            }
            return container.dump
        }
        #expect(dumps[0] == dumps[1])
        #expect(dumps[0].entries.map(\.name) == names)
    }
}
