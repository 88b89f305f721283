// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// State behind a lock, in a way that the thread sanitizer can follow.
///
/// A `Mutex` that is waited for is handed over by the kernel, where the sanitizer does not look: it
/// would report all that the lock guards. So each turn ends with a store that the next begins by
/// loading. That costs nothing beside a lock.
struct Guarded<State>: ~Copyable {
    private let mutex: Mutex<State>
    private let turn = Atomic(false)

    init(_ state: consuming sending State) {
        mutex = Mutex(state)
    }

    /// Calls `body` with the state, which is its own meanwhile.
    borrowing func withLock<Result, Failure: Error>(
        _ body: (inout sending State) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
        try mutex.withLock { (state) throws(Failure) in
            _ = turn.load(ordering: .acquiring)
            defer { turn.store(true, ordering: .releasing) }
            return try body(&state)
        }
    }
}

extension Guarded: Sendable {}
