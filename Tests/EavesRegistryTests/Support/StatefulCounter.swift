// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesInterface
import Synchronization
import Testing

@testable import EavesRegistry

/// A service that keeps state.
final class StatefulCounter: Lifecycle, StateHandover, Sendable {
    let generation: Int
    /// Whether the test has stopped it, as a host stops a generation.
    let isStopped = Atomic(false)
    private let count: Atomic<Int>

    init(_ generation: Int, count: Int = 0) {
        self.generation = generation
        self.count = Atomic(count)
    }

    var value: Int { count.load(ordering: .sequentiallyConsistent) }

    /// Loses what another thread adds at the same time.
    func add() {
        let value = value
        count.store(value + 1, ordering: .sequentiallyConsistent)
    }

    func snapshot() throws -> [UInt8] { [] }
    func restore(_ snapshot: [UInt8]) throws {}

    /// What a module registers that has this counter.
    func generation(of module: String = "counter") -> StagedRegistrar {
        EavesRegistryTests.generation(of: module) { registrar in
            registrar.lifecycle(self)
            registrar.register(StatefulCounter.self, scope: .shared) { _ in self }
        }
    }
}

extension Container {
    /// Lets a counter take the place of the one before.
    ///
    /// - Returns: Its gate.
    @discardableResult
    func exchange(for counter: StatefulCounter) throws -> CallGate {
        let generation = counter.generation()
        _ = try generation.replace(in: self)
        return try #require(generation.gate)
    }
}
