// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesInterface
import EavesRegistry
import EavesTestSupport
import Testing

@Suite("Hooks on creation")
struct CreationHookTests {
    private final class Log: Sendable {
        private let kept = Locked<[String]>([])
        var lines: [String] { kept.withLock { $0 } }

        func add(_ line: String) {
            kept.withLock { $0.append(line) }
        }
    }

    private let container = Container()
    private let log = Log()

    @Test(
        "are called for each creation, needs first, and not for existing instances",
        arguments: [true, false])
    func creations(hookFirst: Bool) throws {
        let log = log
        let hook = {
            container.onCreation {
                log.add("\($0.request) \($0.scope.name) \($0.module ?? "host")")
                #expect($0.duration >= .zero)
            }
        }
        if hookFirst { hook() }
        let staged = StagedRegistrar(module: "cars", settings: Settings())
        staged.register((any Engine).self, scope: .shared) { _ in CountedEngine() }
        try staged.commit(to: container)
        try container.register((any Car).self) {
            SimpleCar(engine: try $0.resolve((any Engine).self))
        }
        try container.register((any Wheels).self, scope: .graph) { _ in FixedWheels(count: 4) }
        if !hookFirst { hook() }
        _ = try container.resolve((any Car).self)
        #expect(log.lines == ["Engine shared cars", "Car transient host"])
        _ = try container.resolve((any Car).self)
        _ = try container.resolve((any Wheels).self)
        #expect(log.lines.dropFirst(2) == ["Car transient host", "Wheels graph host"])
    }

    @Test("of one service get the new instance, decorated")
    func typed() throws {
        let log = log
        container.onCreation(of: (any Wheels).self, name: "n") { wheels, creation in
            log.add("\(creation.request) has \(wheels.count)")
        }
        try container.register((any Wheels).self, name: "n") { _ in FixedWheels(count: 4) }
        try container.register((any Engine).self) { _ in CountedEngine() }
        container.decorate((any Wheels).self, name: "n") { _, inner in
            FixedWheels(count: inner.count + 1)
        }
        _ = try container.resolve((any Engine).self)
        _ = try container.resolve((any Wheels).self, name: "n")
        #expect(log.lines == ["Wheels named 'n' has 5"])
    }

    @Test("mean the unnamed service without a name, as decorators do, unless they are for all")
    func names() throws {
        let log = log
        container.onCreation(of: (any Wheels).self) { wheels, _ in log.add("one \(wheels.count)") }
        container.onCreation(ofAll: (any Wheels).self) { wheels, _ in
            log.add("all \(wheels.count)")
        }
        container.decorate((any Wheels).self) { _, inner in FixedWheels(count: inner.count + 1) }
        try container.register((any Wheels).self) { _ in FixedWheels(count: 4) }
        try container.register((any Wheels).self, name: "truck") { _ in FixedWheels(count: 6) }
        _ = try container.resolve((any Wheels).self, name: "truck")
        _ = try container.resolve((any Wheels).self)
        #expect(log.lines == ["all 6", "one 5", "all 5"])
    }

    @Test("are not called for failures")
    func failing() throws {
        let log = log
        container.onCreation { log.add("\($0.request)") }
        try container.register((any Engine).self) { _ in throw Broken(what: "engine") }
        #expect(throws: ResolutionError.self) { try container.resolve((any Engine).self) }
        #expect(log.lines.isEmpty)
    }

    @Test("are called once for a shared instance, under 100 threads, before any other code has it")
    func once() throws {
        let told = Counter()
        let early = Counter()
        container.onCreation { _ in told.next() }
        try container.register((any Engine).self, scope: .shared) { _ in CountedEngine() }
        let container = container
        Threads.run(100) { _ in
            _ = try? container.resolve((any Engine).self)
            if told.count == 0 { early.next() }
        }
        #expect(told.count == 1)
        #expect(early.count == 0)
    }

    @Test("added to a container are not called for its children, and may resolve")
    func children() throws {
        let log = log
        let container = container
        try container.register((any Wheels).self, scope: .shared) { _ in FixedWheels(count: 4) }
        container.onCreation(of: (any Engine).self) { _, _ in
            log.add("\((try? container.resolve((any Wheels).self).count) ?? 0)")
        }
        try container.register((any Engine).self) { _ in CountedEngine() }
        let child = Container(parent: container)
        try child.register((any Engine).self, name: "own") { _ in CountedEngine() }
        _ = try child.resolve((any Engine).self, name: "own")
        #expect(log.lines.isEmpty)
        _ = try child.resolve((any Engine).self)
        #expect(log.lines == ["4"])
    }
}
