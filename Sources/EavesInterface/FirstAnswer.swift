// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// What a ``Lazy`` keeps whose resolver knows nothing of it: the first answer, for all.
final class FirstAnswer<Service: Sendable>: Sendable {
    private let answer = Mutex<Service?>(nil)

    /// No lock is held while `ask` runs, so that it may come back to here.
    func get(
        orAsk ask: () throws(ResolutionError) -> Service
    ) throws(ResolutionError) -> Service {
        if let known = answer.withLock({ $0 }) { return known }
        let mine = try ask()
        return answer.withLock { answer in
            if let known = answer { return known }
            answer = mine
            return mine
        }
    }
}
