// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesDiagnostics
import EavesInterface
import EavesRegistry
import Testing

@Suite("Validation")
struct ValidationTests {
    private let container = Container()

    private func register<Service: Sendable>(
        _ service: Service.Type, name: String? = nil, scope: Scope = .transient,
        needs: [ServiceNeed], line: UInt, module: String? = nil, chosen: Bool = true
    ) throws {
        // No factory runs.
        let staged = StagedRegistrar(module: module ?? "app", settings: Settings())
        staged.register(
            service, name: name, scope: scope, needs: needs, fileID: "App/App.swift", line: line
        ) { _ in throw Broken(what: "run") }
        try staged.commit(to: container) { _ in chosen }
    }

    private func lines() -> [String] { container.validate().map(\.description) }

    @Test("finds no problem where there is none")
    func fine() throws {
        try register((any Engine).self, scope: .shared, needs: [], line: 1)
        try register((any Wheels).self, needs: [.service((any Engine).self)], line: 2)
        try register(
            (any Car).self, scope: .shared,
            needs: [
                .service((any Engine).self), .own((any Wheels).self), .later((any Wheels).self),
                .later((any Car).self),
            ], line: 3)
        #expect(lines().isEmpty)
    }

    @Test("finds every missing provider, with candidates")
    func missing() throws {
        try register(
            (any Car).self,
            needs: [.service((any Engine).self), .service((any Wheels).self, name: "big")], line: 3)
        try register((any Wheels).self, needs: [.later((any Engine).self)], line: 2)
        #expect(
            lines() == [
                "Wheels (app, App/App.swift:2) needs Engine, which has no provider",
                "Car (app, App/App.swift:3) needs Engine, which has no provider",
                "Car (app, App/App.swift:3) needs Wheels named 'big', which has no provider\n"
                    + "  registered: Wheels (app, App/App.swift:2)",
            ])
        #expect(
            container.validate().flatMap(\.diagnostics).map(\.code) == [
                .noProvider, .noProvider, .noProvider,
            ])
        #expect(container.validate { $0.service == "Engine" }.count == 1)
    }

    @Test("tells runtime arguments apart, and types of one name")
    func identity() throws {
        enum Other {
            protocol Engine: Sendable {}
        }
        let staged = StagedRegistrar(module: "app", settings: Settings())
        staged.register((any Engine).self) { (_, _: Int) in CountedEngine() }
        try staged.commit(to: container)
        try register(
            (any Car).self,
            needs: [
                .service((any Engine).self, arguments: Int.self),
                .service((any Engine).self, arguments: String.self),
                .service((any Engine).self),
                .service((any Other.Engine).self, arguments: Int.self),
            ], line: 1)
        #expect(lines().count == 3)
    }

    @Test("finds services of several modules of which none is chosen")
    func ambiguous() throws {
        for module in ["b", "a"] {
            try register(
                (any Engine).self, needs: [], line: 1, module: module, chosen: false)
        }
        try register((any Car).self, needs: [.service((any Engine).self)], line: 3)
        #expect(
            lines() == [
                "Car (app, App/App.swift:3) needs Engine, which several modules provide, and none "
                    + "is chosen: Engine (a, App/App.swift:1), Engine (b, App/App.swift:1)"
            ])
        let diagnostic = try #require(container.validate().first?.diagnostics.first)
        #expect(diagnostic.code == .configuration)
        #expect(diagnostic.fix == "choose one: 'eaves swap Engine a' or 'eaves swap Engine b'")
    }

    @Test("misses a service that one module provides, which is not chosen")
    func notChosen() throws {
        try register((any Engine).self, needs: [], line: 1, module: "a", chosen: false)
        try register((any Car).self, needs: [.service((any Engine).self)], line: 3)
        let problems = container.validate()
        #expect(problems.count == 1)
        guard case .missing = problems[0] else { throw problems[0] }
    }

    @Test("finds each cycle, whatever the order of registration")
    func cycles() throws {
        try register((any Wheels).self, needs: [.service((any Wheels).self)], line: 9)
        try register((any Engine).self, needs: [.service((any Car).self)], line: 2)
        try register((any Car).self, needs: [.service((any Engine).self)], line: 1)
        #expect(
            lines() == [
                "Car is needed to create itself: Car (app, App/App.swift:1) → "
                    + "Engine (app, App/App.swift:2) → Car (app, App/App.swift:1)",
                "Wheels is needed to create itself: Wheels (app, App/App.swift:9) → "
                    + "Wheels (app, App/App.swift:9)",
            ])
        #expect(container.validate().allSatisfy { $0.diagnostics.first?.code == .configuration })
    }

    @Test(
        "finds objects that outlive what they keep",
        arguments: [
            (Scope.shared, Scope.transient, true), (.shared, .graph, true),
            (.shared, .named("session"), true), (.shared, .weak, false),
            (.shared, .shared, false), (.named("session"), .transient, true),
            (.named("session"), .named("session"), false), (.named("a"), .named("b"), true),
            (.named("session"), .shared, false), (.transient, .graph, false),
            (.graph, .transient, false), (.weak, .transient, false),
        ])
    func captive(holder: Scope, held: Scope, isMistake: Bool) throws {
        try register((any Engine).self, scope: held, needs: [], line: 1)
        try register((any Car).self, scope: holder, needs: [.service((any Engine).self)], line: 2)
        #expect(
            lines()
                == (isMistake
                    ? [
                        "Car (app, App/App.swift:2) is \(holder.name), and keeps "
                            + "Engine (app, App/App.swift:1), which is \(held.name)"
                    ] : []))
    }

    @Test("looks through forwardings")
    func forwarded() throws {
        try register((any Engine).self, scope: .shared, needs: [], line: 1)
        try container.forward((any Wheels).self, to: (any Engine).self) { _ in
            FixedWheels(count: 4)
        }
        try register((any Car).self, scope: .shared, needs: [.service((any Wheels).self)], line: 2)
        #expect(lines().isEmpty)
        container.unregister((any Engine).self)
        try register((any Engine).self, needs: [], line: 1)
        #expect(lines().count == 1)
    }

    @Test("of a child sees its parent, and not the reverse")
    func children() throws {
        let child = Container(parent: container)
        try child.register((any Engine).self) { _ in CountedEngine() }
        try child.register((any Wheels).self, needs: [.service((any Car).self)]) { _ in
            FixedWheels(count: 4)
        }
        try register((any Car).self, needs: [.service((any Engine).self)], line: 2)
        #expect(child.validate().map { $0.description.hasPrefix("Car (") } == [true])
    }

    @Test("finds all kinds at once, in the order of modules and places")
    func all() throws {
        try register(
            (any Engine).self, scope: .shared,
            needs: [.service((any Wheels).self), .service((any Wheels).self, name: "x")], line: 5,
            module: "b")
        try register((any Wheels).self, needs: [], line: 5, module: "a")
        try register((any Car).self, needs: [.service((any Car).self)], line: 1, module: "c")
        let kinds = container.validate().map { problem in
            switch problem {
            case .missing: "missing"
            case .ambiguous: "ambiguous"
            case .cycle: "cycle"
            case .captive: "captive"
            }
        }
        #expect(kinds == ["captive", "missing", "cycle"])
    }
}

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
}
