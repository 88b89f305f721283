// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesInterface
import Testing

@Suite("the short forms of a registrar")
struct RegistrarTests {
    private let registrar = KeepingRegistrar()
    private let resolver = MinimalResolver { _ in 20 }

    private func create(_ index: Int = 0, _ arguments: Any...) throws -> Any {
        try registrar.kept[index].create(resolver, arguments)
    }

    @Test("hand on the name, the scope, the needs and the place of a registration")
    func options() throws {
        let line = UInt(#line + 1)
        registrar.register(Int.self, name: "a", scope: .shared) { _ in 1 }
        registrar.register(Int.self, needs: [.service(Double.self)]) { (_, text: String) in
            text.count
        }
        let first = registrar.kept[0]
        #expect(first.request == ServiceRequest(Int.self, name: "a"))
        #expect(first.kind == "register")
        #expect(first.options.scope == .shared)
        #expect(first.options.needs.isEmpty)
        #expect(first.options.place == SourcePlace(fileID: #fileID, line: line))
        #expect(!first.isCompleted)
        let second = registrar.kept[1]
        #expect(second.kind == "register with arguments")
        #expect(second.request == ServiceRequest(Int.self, arguments: [String.self]))
        #expect(second.options.scope == .transient)
        #expect(second.options.needs == [.service(Double.self)])
        #expect(second.options.place.line == line + 1)
        #expect(try create(0) as? Int == 1)
        #expect(try create(1, "abc") as? Int == 3)
    }

    @Test("a feature is a transient service with the feature's name")
    func feature() throws {
        struct Quiet: Feature {
            func launch(_ launch: Launch) async throws -> ExitCode { .success }
        }
        registrar.registerFeature("quiet") { _ in Quiet() }
        #expect(registrar.kept[0].request.description == "feature 'quiet'")
        #expect(registrar.kept[0].options.scope == .transient)
        #expect(try create() is Quiet)
    }

    @Test("factories that are awaited, or run on the main actor, are registered as such")
    func awaited() {
        registrar.registerAsync(Int.self, name: "a", scope: .shared, needs: [.later(Double.self)]) {
            (_, _: String) in 1
        }
        registrar.registerAsync(Int.self) { _ in
            1
        } completed: { _, _ in
        }
        registrar.registerOnMainActor(Int.self, needs: [.own(Double.self)]) { _ in 1 }
        registrar.registerOnMainActor(Int.self) { _ in
            1
        } completed: { _, _ in
        }
        #expect(
            registrar.kept.map(\.kind) == [
                "registerAsync", "registerAsync", "registerOnMainActor", "registerOnMainActor",
            ])
        #expect(registrar.kept[0].request.description == "Int(String) named 'a'")
        #expect(registrar.kept[0].options.needs == [.later(Double.self)])
        #expect(registrar.kept[2].options.needs == [.own(Double.self)])
        #expect(registrar.kept.map(\.isCompleted) == [false, true, false, true])
    }

    @Test("a completion is handed on")
    func completed() {
        registrar.register(Int.self, scope: .graph, needs: [.later(Double.self)]) { _ in
            1
        } completed: { _, _ in
        }
        #expect(registrar.kept[0].isCompleted)
        #expect(registrar.kept[0].options.scope == .graph)
        #expect(registrar.kept[0].options.needs == [.later(Double.self)])
    }

    @Test("a forwarding has two names, and the types of the arguments")
    func forward() {
        registrar.forward(
            String.self, name: "text", to: Int.self, targetName: "number", arguments: Double.self
        ) { "\($0)" }
        #expect(registrar.kept[0].request.description == "String(Double) named 'text'")
        #expect(registrar.kept[0].kind == "forward to Int(Double) named 'number'")
    }

    @Test("a decorator is for one name")
    func decorate() {
        registrar.decorate(Int.self, name: "a") { _, number in number }
        #expect(registrar.kept[0].kind == "decorate")
        #expect(registrar.kept[0].request.description == "Int named 'a'")
    }
}
