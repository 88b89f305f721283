// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesProcess
import EavesSystem
import Glibc
import Testing

/// The watch over tests that wait for each other: it names the running tests and ends the process once none of them has
/// begun or ended for some minutes.
///
/// `EAVES_TEST_PATIENCE` is that time in seconds (default: 300). Soaks may be silent for longer. ``OwnThreadsTrait``
/// reports the tests that wait, and those are the ones that can wait for ever.
enum SilenceWatch {
    private struct State {
        var running: [String: Int] = [:]
        var lastChange = ContinuousClock.now
        var isWatched = false
    }

    private static let state = Locked(State())
    private static let limit = Duration.seconds(
        (Environment.current["EAVES_TEST_PATIENCE"].flatMap { Double($0) } ?? 300)
            + (Soak.seconds ?? 0) + 15)

    /// Runs a test and notes its begin and its end.
    static func watch(
        _ test: Test, _ body: @Sendable () async throws -> Void
    ) async throws {
        note(test, +1)
        defer { note(test, -1) }
        try await body()
    }

    private static func note(_ test: Test, _ change: Int) {
        let name = "\(test.id)"
        let begins = state.withLock { state in
            state.running[name, default: 0] += change
            state.lastChange = .now
            defer { state.isWatched = true }
            return !state.isWatched
        }
        if begins { try? DetachedThread.start { look() } }
    }

    private static func look() {
        while true {
            Patience.letPass(.seconds(5))
            let stuck = state.withLock { state in
                state.lastChange + limit < .now ? state.running.filter { $0.value > 0 } : [:]
            }
            guard !stuck.isEmpty else { continue }
            let names = stuck.keys.sorted().map { "    \($0)\n" }.joined()
            let words = "error: for \(limit), no test has begun or ended; these were running:\n"
            (words + names).withCString { _ = write(STDERR_FILENO, $0, strlen($0)) }
            abort()
        }
    }
}
