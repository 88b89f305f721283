// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesLife
import EavesSystem
import Synchronization

/// Holds back modules that keep state and are loaded for the first time, while the process before may still have state of
/// them: it takes calls until it has let go.
///
/// Safe from any thread.
package final class LateStates: Sendable {
    private enum State {
        case unexpected
        case expected(Awaited<Bool>)
        /// All that the process before has is here, or it is gone.
        case over
    }

    private let state = Mutex(State.unexpected)

    /// Holds such modules back from now on, unless that is over.
    package func expect() {
        state.withLock { if case .unexpected = $0 { $0 = .expected(Awaited()) } }
    }

    /// Lets them go on for good: all that the process before has is here, or it is gone.
    package func arrive() {
        let state = state.withLock { state in
            defer { state = .over }
            return state
        }
        if case .expected(let arrival) = state { arrival.set(true) }
    }

    /// Waits until nothing is expected.
    func wait() {
        if case .expected(let arrival) = state.withLock({ $0 }) { _ = arrival.wait() }
    }
}
