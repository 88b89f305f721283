// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesSystem
import Synchronization

/// Holds back modules that keep state and are loaded for the first time, while the process before may still have state of
/// them: it takes calls until it has let go.
///
/// Safe from any thread.
final class LateStates: Sendable {
    private let arrival = Mutex<Awaited<Bool>?>(nil)

    /// Holds such modules back from now on.
    func expect() { arrival.withLock { $0 = Awaited() } }

    /// Lets them go on: all that the process before has is here, or it is gone.
    func arrive() { arrival.withLock { $0.take() }?.set(true) }

    /// Waits until nothing is expected.
    func wait() {
        _ = arrival.withLock { $0 }?.wait()
    }
}
