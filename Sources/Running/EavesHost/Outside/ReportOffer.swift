// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesDiagnostics
import EavesLife
import EavesSystem
import EavesTrust
import Synchronization

/// Lets other processes see a host as long as it follows the disk. A host that does not follow costs nothing.
///
/// Safe from any thread.
final class ReportOffer: Sendable {
    private let live: LiveModules
    private let store: Store
    /// When the host began, in seconds since 1970.
    private let since = WallClock.second
    private let state = Mutex(State())

    private struct State {
        var count = 0
        var socket: ReportSocket?
        /// The time to offer reports anew, because the socket was removed.
        var renewal: ContinuousClock.Instant?

        mutating func close() {
            socket?.end()
            (socket, renewal) = (nil, nil)
        }
    }

    /// The pause before another socket is made: a user who removes the whole store is to find no new file
    /// in it.
    private static let pause = Duration.seconds(1)

    init(of live: LiveModules, in store: Store) {
        self.live = live
        self.store = store
    }

    /// Offers reports, unless the host does already. Where the store cannot be written, no process can ask, and the
    /// host follows all the same.
    func begin() {
        state.withLock { state in
            state.count += 1
            if state.count == 1 { state.socket = socket() }
        }
    }

    private func socket() -> ReportSocket? {
        let program = CommandLine.arguments.map(\.shellWord).joined(separator: " ")
        return try? ReportSocket(in: store) { [live, since] in
            // A process that hears that the host has taken on everything sees the generations of then, or later ones.
            let standing = live.standing
            return RunningHost.report(program: program, since: since, live.generations, standing)
        }
    }

    /// The path of the socket, whose removal is news; `nil` without an offer.
    var place: String? {
        let name = state.withLock { $0.socket?.name }
        return name.map { Path.join(store.path(of: ReportSocket.folderName), $0) }
    }

    /// When to call ``renew()`` next, without news.
    var nextRenewal: ContinuousClock.Instant? { state.withLock { $0.renewal } }

    /// Offers reports anew if the socket was removed, or the store with it.
    func renew() {
        state.withLock { state in
            guard let known = state.socket else { return }
            if (try? store.open(ReportSocket.folderName))??.has(known.name) == true {
                state.renewal = nil
                return
            }
            guard let renewal = state.renewal else {
                state.renewal = .now + Self.pause
                return
            }
            guard renewal <= .now else { return }
            state.renewal = nil
            guard let new = socket() else { return }
            known.end()
            state.socket = new
        }
    }

    /// Takes the offer back at once: this process is no longer a host.
    func withdraw() { state.withLock { $0.close() } }

    /// Takes the offer back with the last following.
    func end() {
        state.withLock { state in
            state.count -= 1
            if state.count == 0 { state.close() }
        }
    }
}
