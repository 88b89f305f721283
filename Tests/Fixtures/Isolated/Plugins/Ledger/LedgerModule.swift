// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesInterface
import Synchronization
import WorkAPI

enum LedgerModule: Module {
    static func register(in registrar: any Registrar) throws {
        let ledger = Kept(version: try registrar.settings.string("version") ?? "1")
        registrar.lifecycle(ledger)
        registrar.register((any Ledger).self, scope: .shared) { _ in ledger }
    }
}

/// A sum that goes from one generation to the next.
final class Kept: Ledger, StateHandover {
    private let name: String
    private let state = Mutex((sum: 0, isStarted: false))

    init(version: String) { name = version }

    var version: String {
        get async throws { state.withLock { $0.isStarted } ? name : "not started" }
    }

    func add(_ number: Int) async throws -> Int {
        state.withLock { state in
            state.sum += number
            return state.sum
        }
    }

    func start(_ resolver: any Resolver) { state.withLock { $0.isStarted = true } }

    func snapshot() -> [UInt8] { Array("\(state.withLock { $0.sum })".utf8) }

    func restore(_ snapshot: [UInt8]) {
        let sum = Int(String(decoding: snapshot, as: UTF8.self)) ?? 0
        state.withLock { $0.sum = sum }
    }
}
