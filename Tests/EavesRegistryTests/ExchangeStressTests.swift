// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesInterface
import EavesRegistry
import EavesTestSupport
import Synchronization
import Testing

@Suite("Exchanging while others resolve", .patiently)
struct ExchangeStressTests {
    /// A service that knows its generation.
    private final class Stamp: Sendable {
        let generation: Int
        init(_ generation: Int) { self.generation = generation }
    }

    private final class SharedStamp: Sendable {
        let generation: Int
        init(_ generation: Int) { self.generation = generation }
    }

    /// Objects of another module, which stays: they ask for the stamps.
    private final class Asker: Sendable {
        let provider: Provider<SharedStamp>
        init(_ resolver: any Resolver) { provider = resolver.provider(SharedStamp.self) }
    }

    private static func stamps(_ generation: Int, module: String = "stamps") -> StagedRegistrar {
        EavesRegistryTests.generation(of: module) { registrar in
            registrar.register(Stamp.self) { _ in Stamp(generation) }
            registrar.register(SharedStamp.self, scope: .shared) { _ in SharedStamp(generation) }
            registrar.register(SharedStamp.self, name: "named", scope: .named("session")) { _ in
                SharedStamp(generation)
            }
            registrar.register(SharedStamp.self, name: "decorated", scope: .shared) { _ in
                SharedStamp(generation)
            }
            registrar.decorate(SharedStamp.self, name: "decorated") { _, inner in
                SharedStamp(inner.generation)
            }
            registrar.forward(Stamp.self, name: "forwarded", to: SharedStamp.self) {
                Stamp($0.generation)
            }
        }
    }

    /// The generation that the switches have reached, and what went wrong.
    private final class Log: Sendable {
        private let reached = Atomic(0)
        let failures = Locked<[String]>([])
        private let isOver = Atomic(false)
        let calls = Counter()

        func reach(_ generation: Int) {
            reached.store(generation, ordering: .sequentiallyConsistent)
        }
        func end() { isOver.store(true, ordering: .sequentiallyConsistent) }
        var goesOn: Bool { !isOver.load(ordering: .relaxed) }

        /// Asks once: what comes must not be older than what was reached before.
        func ask(_ what: String, _ body: () throws -> Int) {
            let least = reached.load(ordering: .sequentiallyConsistent)
            do {
                let generation = try body()
                if generation < least { fail("\(what): \(generation) after \(least)") }
            } catch {
                fail("\(what): \(error)")
            }
            calls.next()
        }

        private func fail(_ text: String) {
            failures.withLock { if $0.count < 10 { $0.append(text) } }
        }
    }

    /// Resolves in every way until it is over, and once at least.
    private static func resolve(
        _ container: Container, _ child: Container, _ copying: Container, _ log: Log,
        _ begun: Signal
    ) throws {
        begun.signal()
        var handle = try container.handle(SharedStamp.self)
        var handleOfChild = try copying.handle(SharedStamp.self)
        let provider = container.provider(Stamp.self)
        let asker = try container.resolve(Asker.self)
        repeat {
            log.ask("transient") { try container.resolve(Stamp.self).generation }
            log.ask("shared") { try container.resolve(SharedStamp.self).generation }
            log.ask("named") { try container.resolve(SharedStamp.self, name: "named").generation }
            log.ask("decorated") {
                try container.resolve(SharedStamp.self, name: "decorated").generation
            }
            log.ask("forwarded") {
                try container.resolve(Stamp.self, name: "forwarded").generation
            }
            log.ask("handle") { try handle.borrow { $0.generation } }
            log.ask("provider") { try provider.get().generation }
            log.ask("provider of another module") { try asker.provider.get().generation }
            log.ask("lazy") { try container.lazy(SharedStamp.self).get().generation }
            log.ask("borrow") { try container.borrow(SharedStamp.self) { $0.generation } }
            log.ask("if provided") {
                try container.resolveIfProvided(SharedStamp.self)?.generation ?? -1
            }
            log.ask("all") {
                try container.resolveAll(SharedStamp.self).map(\.generation).min() ?? -1
            }
            log.ask("child") { try child.resolve(SharedStamp.self).generation }
            log.ask("child, if provided") {
                try child.resolveIfProvided(SharedStamp.self)?.generation ?? -1
            }
            log.ask("child, borrowed") { try child.borrow(SharedStamp.self) { $0.generation } }
            log.ask("copying child") { try copying.resolve(SharedStamp.self).generation }
            log.ask("copying child, forwarded") {
                try copying.resolve(Stamp.self, name: "forwarded").generation
            }
            log.ask("handle of a child") { try handleOfChild.borrow { $0.generation } }
        } while log.goesOn
    }

    @Test("nothing fails, and nothing of an older generation is given after a switch")
    func replacing() throws {
        let container = Container()
        try Self.stamps(0).commit(to: container)
        try generation(of: "askers") {
            $0.register(Asker.self, scope: .shared) { Asker($0) }
        }.commit(to: container)
        let child = Container(parent: container, chooser: FixedChooser(["stamps"]))
        let copying = Container(
            parent: container, chooser: FixedChooser(["stamps"], copying: true))
        let log = Log()
        let drained = Counter()
        let rounds = Soak.rounds(1_000)
        let begun = Signal("the beginning of a thread that resolves")
        Threads.run(4) { number in
            do {
                if number > 0 { return try Self.resolve(container, child, copying, log, begun) }
                defer { log.end() }
                for _ in 1...3 { begun.wait() }
                for round in 1...rounds {
                    let retired = try Self.stamps(round).replace(in: container)
                    log.reach(round)
                    retired.onDrained { drained.next() }
                    if round % 16 == 0 { _ = retired.living }
                    if round % 64 == 0 {
                        container.rebind(where: { _ in true })
                    }
                }
            } catch {
                log.failures.withLock { $0.append("\(error)") }
                log.end()
            }
        }
        #expect(log.failures.withLock { $0 } == [])
        #expect(log.calls.count > 0)
        container.reclaim()
        child.reclaim()
        copying.reclaim()
        #expect(container.registrations.count == 6)
    }

    @Test("bindings go back and forth, and instances stay what they were")
    func rebinding() throws {
        let container = Container()
        for (number, module) in ["a", "b"].enumerated() {
            try Self.stamps(number, module: module).commit(
                to: container, where: { _ in module == "a" }, alsoNamed: { _ in ["\(module)"] })
        }
        let both = try container.resolveAll(SharedStamp.self)
        let (isOver, failures) = (Kept<Bool>(), Locked<[String]>([]))
        let begun = Signal("the beginning of a thread that resolves")
        Threads.run(4) { number in
            if number == 0 {
                for _ in 1...3 { begun.wait() }
                for round in 1...Soak.rounds(2_000) {
                    let chosen = round % 2 == 0 ? "a" : "b"
                    container.rebind(where: { $0.module == chosen }) { module, _ in [module] }
                }
                isOver.value = true
                return
            }
            begun.signal()
            do {
                repeat {
                    let stamp = try container.resolve(SharedStamp.self)
                    let isKnown = both.contains { $0 === stamp }
                    let a = try container.resolve(SharedStamp.self, name: "a")
                    let b = try container.resolve(SharedStamp.self, name: "b")
                    let all = try container.resolveAll(SharedStamp.self)
                    let isSame =
                        a.generation == 0 && b.generation == 1 && all.count == both.count
                        && zip(all, both).allSatisfy { $0 === $1 }
                    if !isKnown || !isSame {
                        failures.withLock { $0.append("another instance") }
                    }
                    _ = try container.resolve(Stamp.self, name: "forwarded")
                } while isOver.value != true
            } catch {
                failures.withLock { $0.append("\(error)") }
            }
        }
        #expect(failures.withLock { $0 } == [])
    }

    @Test("mocks come and go meanwhile, and never bring back an older generation")
    func overriding() throws {
        let container = Container()
        try Self.stamps(0).commit(to: container)
        let log = Log()
        let begun = Signal("the beginning of a thread that overrides or resolves")
        Threads.run(3) { number in
            do {
                switch number {
                case 0:
                    defer { log.end() }
                    for _ in 1...2 { begun.wait() }
                    for round in 1...Soak.rounds(1_000) {
                        _ = try Self.stamps(round).replace(in: container)
                        log.reach(round)
                    }
                case 1:
                    begun.signal()
                    repeat {
                        let registrar = StagedRegistrar(module: nil, settings: Settings())
                        registrar.register(SharedStamp.self) { _ in SharedStamp(.max) }
                        container.undo(registrar.override(in: container))
                    } while log.goesOn
                default:
                    begun.signal()
                    repeat {
                        log.ask("shared") { try container.resolve(SharedStamp.self).generation }
                        log.ask("transient") { try container.resolve(Stamp.self).generation }
                    } while log.goesOn
                }
            } catch {
                log.failures.withLock { $0.append("\(error)") }
                log.end()
            }
        }
        #expect(log.failures.withLock { $0 } == [])
        #expect(container.registrations.count == 5)
    }
}
