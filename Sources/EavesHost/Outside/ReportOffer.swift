// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesDiagnostics
import EavesSystem
import EavesTrust
import Synchronization

/// Lets other processes see a host as long as it follows the disk. A host that does not follow costs nothing.
///
/// Safe from any thread.
final class ReportOffer: Sendable {
    private let live: LiveModules
    private let store: Store
    private let state = Mutex(State())

    private struct State {
        var count = 0
        var socket: ReportSocket?

        mutating func close() {
            socket?.end()
            socket = nil
        }
    }

    init(of live: LiveModules, in store: Store) {
        self.live = live
        self.store = store
    }

    /// Offers reports, unless somebody does already. Where the store cannot be written, nobody can ask, and the
    /// host follows all the same.
    func begin() {
        state.withLock { state in
            state.count += 1
            guard state.count == 1 else { return }
            let program = CommandLine.arguments.map(\.shellWord).joined(separator: " ")
            let since = WallClock.second
            state.socket = try? ReportSocket(in: store) { [live] in
                RunningHost.report(program: program, since: since, live.generations)
            }
        }
    }

    /// Takes the offer back at once: this process is no host any more.
    func withdraw() { state.withLock { $0.close() } }

    /// Takes the offer back if nobody else follows.
    func end() {
        state.withLock { state in
            state.count -= 1
            if state.count == 0 { state.close() }
        }
    }
}
