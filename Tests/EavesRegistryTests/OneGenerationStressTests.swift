// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesInterface
import EavesTestSupport
import Glibc
import Testing

@testable import EavesRegistry

/// Modules whose services need each other at random, and are exchanged all the time.
@Suite("What resolutions create while modules are exchanged", .onOwnThreads, .patiently)
struct OneGenerationStressTests {
    private struct Part: Sendable {
        let module: Int
        let generation: Int
        let parts: [Part]

        /// The generations of each module among what was created.
        func note(in seen: inout [Int: Set<Int>]) {
            seen[module, default: []].insert(generation)
            for part in parts { part.note(in: &seen) }
        }

        var isMixed: Bool {
            var seen: [Int: Set<Int>] = [:]
            note(in: &seen)
            return seen.values.contains { $0.count > 1 }
        }
    }

    /// A graph of services: what each needs, by their numbers. A service needs only others with greater numbers.
    private struct Graph: Sendable {
        static let services = 12
        static let modules = 3
        let needs: [[Int]]
        let isAwaited: [Bool]

        init(seed: Int) {
            var chance = SeededNumbers(seed: UInt64(seed))
            needs = (0..<Self.services).map { service in
                (service + 1..<Self.services).filter { _ in
                    Int.random(in: 0..<4, using: &chance) == 0
                }
            }
            // The last one needs nothing, and is there at once.
            var isAwaited =
                (1..<Self.services).map { _ in
                    Int.random(in: 0..<8, using: &chance) == 0
                } + [false]
            // A service that needs an awaited one is awaited.
            for service in (0..<Self.services).reversed() {
                if needs[service].contains(where: { isAwaited[$0] }) { isAwaited[service] = true }
            }
            self.isAwaited = isAwaited
        }

        /// The name of a random service.
        ///
        /// - Parameter mayBeAwaited: Whether it may be one that has to be awaited.
        func service(isAwaited mayBeAwaited: Bool = true) -> String {
            let all = (0..<Self.services).filter { mayBeAwaited || !isAwaited[$0] }
            return "\(all.randomElement() ?? Self.services - 1)"
        }

        func generation(_ number: Int, of module: Int) -> StagedRegistrar {
            EavesRegistryTests.generation(of: "module-\(module)") { registrar in
                for service in stride(from: module, to: Self.services, by: Self.modules) {
                    let needs = needs[service]
                    if isAwaited[service] {
                        registrar.registerAsync(Part.self, name: "\(service)") { resolver in
                            var parts: [Part] = []
                            for need in needs {
                                await Task.yield()
                                parts.append(
                                    try await resolver.resolveAsync(Part.self, name: "\(need)"))
                            }
                            return Part(module: module, generation: number, parts: parts)
                        }
                    } else {
                        registrar.register(Part.self, name: "\(service)") { resolver in
                            let parts = try needs.map { need in
                                try resolver.resolve(Part.self, name: "\(need)")
                            }
                            return Part(module: module, generation: number, parts: parts)
                        }
                    }
                }
            }
        }
    }

    /// Lets two threads and two tasks create parts of random graphs, while the modules are exchanged.
    ///
    /// - Parameters:
    ///   - number: How many parts are created of each graph, at least.
    ///   - onThread: Creates what belongs together, by a service that need not be awaited.
    ///   - inTask: Creates what belongs together.
    private func run(
        creating number: Int,
        onThread: @escaping @Sendable (Container, Graph) throws -> [Part],
        inTask: @escaping @Sendable (Container, Graph) async throws -> [Part]
    ) async throws {
        let (mixed, all) = (Counter(), Counter())
        for round in 0..<Soak.rounds(400) {
            let (graph, container) = (Graph(seed: round), Container())
            container.expectExchanges()
            for module in 0..<Graph.modules {
                try graph.generation(0, of: module).commit(to: container)
            }
            let (others, generations, count) = (Repeating(), Counter(), Counter())
            let note = { @Sendable (parts: [Part]) in
                let isMixed = Part(module: -1, generation: 0, parts: parts).isMixed
                if isMixed {
                    Issue.record("graph \(round): \(parts)")
                    mixed.next()
                }
                count.next()
                all.next()
            }
            others.onThread {
                let next = generations.next()
                _ = try graph.generation(next, of: next % Graph.modules).replace(in: container)
            }
            for _ in 0..<2 {
                others.onThread { note(try onThread(container, graph)) }
                others.inTask { note(try await inTask(container, graph)) }
            }
            try Patience.wait(for: "resolutions and exchanges next to each other") {
                count.count >= number && generations.count >= 20
            }
            try await others.end()
            // What was exchanged is gone, and everybody finds what is there at once.
            try container.waitForFront()
        }
        #expect(mixed.count == 0, "of \(all.count)")
    }

    @Test("nothing is mixed of two generations of a module in a resolution")
    func resolutions() async throws {
        try await run(creating: 2_500) { container, graph in
            [try container.resolve(Part.self, name: graph.service(isAwaited: false))]
        } inTask: { container, graph in
            [try await container.resolveAsync(Part.self, name: graph.service())]
        }
    }

    @Test(
        "nothing is mixed of two generations of a module in a call, through awaits and child tasks")
    func calls() async throws {
        try await run(creating: Soak.seconds == nil ? 500 : 2_500) { container, graph in
            try container.call(Part.self, name: graph.service(isAwaited: false)) { first in
                var parts = [first]
                for _ in 0..<Int.random(in: 1..<4) {
                    sched_yield()
                    let name = graph.service(isAwaited: false)
                    parts.append(try container.resolve(Part.self, name: name))
                    parts.append(try container.call(Part.self, name: name) { $0 })
                }
                return parts
            }
        } inTask: { container, graph in
            try await container.callAsync(Part.self, name: graph.service()) { first in
                try await withThrowingTaskGroup { group in
                    for _ in 0..<Int.random(in: 1..<4) {
                        group.addTask {
                            await Task.yield()
                            return try await container.resolveAsync(
                                Part.self, name: graph.service())
                        }
                        group.addTask {
                            try await container.callAsync(Part.self, name: graph.service()) {
                                part in
                                await Task.yield()
                                return part
                            }
                        }
                        await Task.yield()
                    }
                    var parts = [first]
                    for try await part in group { parts.append(part) }
                    let last = graph.service(isAwaited: false)
                    parts.append(try container.resolve(Part.self, name: last))
                    return parts
                }
            }
        }
    }
}
