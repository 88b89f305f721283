// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesInterface
import Synchronization
import Testing

@Suite("a registrar that implements interface 1.0 only")
struct RegistrarTests {
    private let registrar = MinimalRegistrar()
    private let resolver = MinimalResolver { _ in 20 }

    private func create(_ index: Int = 0, _ arguments: Any...) throws -> Any {
        try registrar.registered[index].create(resolver, arguments)
    }

    @Test("gets the name, the scope and the place of a registration")
    func shortForm() throws {
        let line = UInt(#line + 1)
        registrar.register(Int.self, name: "a", scope: .shared) { _ in 1 }
        registrar.register(Int.self) { (_, text: String) in text.count }
        let first = registrar.registered[0]
        #expect(first.request == ServiceRequest(Int.self, name: "a"))
        #expect(first.scope == .shared)
        #expect(first.place == SourcePlace(fileID: #fileID, line: line))
        let second = registrar.registered[1]
        #expect(second.request == ServiceRequest(Int.self, arguments: [String.self]))
        #expect(second.scope == .transient)
        #expect(second.place.line == line + 1)
        #expect(try create(0) as? Int == 1)
        #expect(try create(1, "abc") as? Int == 3)
    }

    @Test("a feature is a transient service with the feature's name")
    func feature() throws {
        struct Quiet: Feature {
            func launch(_ launch: Launch) async throws -> ExitCode { .success }
        }
        registrar.registerFeature("quiet") { _ in Quiet() }
        #expect(registrar.registered[0].request.description == "feature 'quiet'")
        #expect(registrar.registered[0].scope == .transient)
        #expect(try create() is Quiet)
    }

    @Test("a factory that is awaited, or runs on the main actor, becomes an error that says so")
    func awaited() throws {
        registrar.registerAsync(Int.self, name: "a", scope: .shared) { (_, _: String) in 1 }
        registrar.registerOnMainActor(Int.self) { _ in 1 }
        let awaited = #expect(throws: ResolutionError.self) { try create(0, "") }
        #expect(awaited?.description.hasPrefix("Int(String) named 'a' has to be awaited") == true)
        #expect(registrar.registered[0].scope == .shared)
        let main = #expect(throws: ResolutionError.self) { try create(1) }
        #expect(main?.description.hasPrefix("Int is created on the main actor") == true)
    }

    @Test("completes the new instance in the factory")
    func completed() throws {
        final class Part: Sendable {
            let number = Mutex(0)
        }
        registrar.register(Part.self, needs: [.service(Int.self)]) { _ in Part() }
        registrar.register(Part.self) { _ in
            Part()
        } completed: { resolver, part in
            let number = try resolver.resolve(Int.self)
            part.number.withLock { $0 += number }
        }
        registrar.register(Part.self) { _ in
            Part()
        } completed: { _, _ in
            throw Broken()
        }
        #expect((try create(0) as? Part)?.number.withLock { $0 } == 0)
        #expect((try create(1) as? Part)?.number.withLock { $0 } == 20)
        #expect(throws: Broken.self) { try create(2) }
    }

    @Test("forwards a request, with name and arguments, and converts the answer")
    func forward() throws {
        registrar.forward(
            String.self, name: "text", to: Int.self, targetName: "number", arguments: Double.self
        ) { "\($0)" }
        #expect(registrar.registered[0].request.description == "String(Double) named 'text'")
        #expect(registrar.registered[0].scope == .transient)
        #expect(try create(0, 1.5) as? String == "20")
        #expect(resolver.requests.map(\.description) == ["Int(Double) named 'number'"])
    }

    @Test("does not ignore a decorator: the process ends")
    func decorate() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            MinimalRegistrar().decorate(Int.self) { _, number in number }
        }
        let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(text.contains("MinimalRegistrar does not implement decorate"))
    }
}
