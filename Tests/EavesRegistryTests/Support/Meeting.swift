// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Synchronization

/// Lets the first who comes wait for the second; whoever comes later passes.
final class Meeting: Sendable {
    private let arrived = Atomic(0)
    private let both = DispatchSemaphore(value: 0)

    func wait() {
        if arrived.add(1, ordering: .sequentiallyConsistent).newValue == 1 {
            both.wait()
        } else {
            both.signal()
        }
    }
}
