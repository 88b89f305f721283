// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import Dispatch
import EavesTestSupport
import Synchronization
import Testing

/// An event that happens once, and that tasks wait for.
final class Gate: Sendable {
    private struct State {
        var isOpen = false
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Locked(State())

    /// Suspends until the gate is open, also if the task is cancelled.
    func wait() async {
        await withCheckedContinuation { continuation in
            let isOpen = state.withLock { state in
                if !state.isOpen { state.waiting.append(continuation) }
                return state.isOpen
            }
            if isOpen {
                continuation.resume()
            } else {
                DispatchQueue.global().asyncAfter(deadline: .now() + Patience.seconds) {
                    [weak self] in self?.giveUp()
                }
            }
        }
    }

    private func giveUp() {
        guard !state.withLock({ $0.isOpen }) else { return }
        Issue.record("a gate stayed closed")
        open()
    }

    func open() {
        let waiting = state.withLock { state in
            state.isOpen = true
            defer { state.waiting = [] }
            return state.waiting
        }
        waiting.forEach { $0.resume() }
    }
}

/// Lets a number of tasks go on once all of them have come.
final class Assembly: Sendable {
    private let missing: Atomic<Int>
    private let gate = Gate()

    init(_ count: Int) {
        missing = Atomic(count)
    }

    func wait() async {
        let left = missing.subtract(1, ordering: .sequentiallyConsistent).newValue
        if left <= 0 { gate.open() }
        await gate.wait()
    }
}

/// Makes the first thread that comes wait for the second; later ones pass.
final class Meeting: Sendable {
    private let arrived = Atomic(0)
    private let both = Signal()

    func wait() {
        if arrived.add(1, ordering: .sequentiallyConsistent).newValue == 1 {
            both.wait()
        } else {
            both.signal()
        }
    }
}
