// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesInterface
import EavesTestSupport
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

        init() {
            needs = (0..<Self.services).map { service in
                (service + 1..<Self.services).filter { _ in Int.random(in: 0..<4) == 0 }
            }
            // The last one needs nothing, and is there at once.
            var isAwaited = (1..<Self.services).map { _ in Int.random(in: 0..<8) == 0 } + [false]
            // Whoever needs one that is awaited is awaited.
            for service in (0..<Self.services).reversed() {
                if needs[service].contains(where: { isAwaited[$0] }) { isAwaited[service] = true }
            }
            self.isAwaited = isAwaited
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

    @Test("nothing is mixed of two generations of a module")
    func unmixed() async throws {
        let mixed = Counter()
        var all = 0
        let rounds = Soak.rounds(400)
        for _ in 0..<rounds {
            let (graph, container) = (Graph(), Container())
            for module in 0..<Graph.modules {
                try graph.generation(0, of: module).commit(to: container)
            }
            let (others, number, count) = (Repeating(), Counter(), Counter())
            others.onThread {
                let next = number.next()
                _ = try graph.generation(next, of: next % Graph.modules).replace(in: container)
            }
            for _ in 0..<2 {
                others.onThread {
                    let service = (0..<Graph.services).filter { !graph.isAwaited[$0] }
                        .randomElement()!
                    let part = try container.resolve(Part.self, name: "\(service)")
                    if part.isMixed { mixed.next() }
                    count.next()
                }
                others.inTask {
                    let service = Int.random(in: 0..<Graph.services)
                    let part = try await container.resolveAsync(Part.self, name: "\(service)")
                    if part.isMixed { mixed.next() }
                    count.next()
                }
            }
            try Patience.wait(for: "resolutions and exchanges next to each other") {
                count.count >= 2_500 && number.count >= 20
            }
            try await others.end()
            all += count.count
        }
        #expect(mixed.count == 0, "of \(all)")
    }
}
