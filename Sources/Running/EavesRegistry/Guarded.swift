// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// State behind a lock whose use the thread sanitizer can follow: the one lock of this room, whose tests run under it.
///
/// The kernel hands a contended `Mutex` over to the next thread, where the sanitizer does not look: it
/// reports everything that the lock guards (Swift 6.3 still does). So each turn ends with a store that the next turn
/// begins by loading. Next to a lock, that costs nothing.
struct Guarded<State>: ~Copyable, Sendable {
    private let mutex: Mutex<State>
    private let turn = Atomic(false)

    init(_ state: consuming sending State) {
        mutex = Mutex(state)
    }

    /// Calls `body` with the state while no other thread can see it.
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
