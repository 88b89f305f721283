// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import Dispatch
import EavesInterface

/// Whose turn it is to make a shared instance: one thread's at a time.
///
/// While it is being made only those who want it wait. Waiting for each other in a circle is found
/// before anybody waits, through ``WaitGraph``.
final class Construction: Sendable {
    private struct State {
        var isBuilding = false
        var waiting: [DispatchSemaphore] = []
    }

    private enum Turn {
        case use
        case build
        case wait(DispatchSemaphore)
    }

    private let state = Guarded(State())
    private let node = WaitGraph.Node()

    /// Waits until the instance is there or the caller is to make it.
    ///
    /// - Parameters:
    ///   - reader: The thread that asks.
    ///   - isMade: Whether the instance is there.
    ///   - cycle: The error to throw if waiting would never end.
    /// - Returns: Whether the caller is to make it, and to call ``end()`` then, also if it fails.
    func begin(
        for reader: Reader, unless isMade: () -> Bool, cycle: () -> ResolutionFailure
    ) throws(ResolutionFailure) -> Bool {
        while true {
            switch turn(unless: isMade) {
            case .use:
                return false
            case .build:
                WaitGraph.begin(node, by: reader.builder)
                return true
            case .wait(let semaphore):
                guard WaitGraph.wait(on: node, by: reader.builder, for: reader.builders) else {
                    throw cycle()
                }
                semaphore.wait()
                WaitGraph.resume(reader.builder)
            }
        }
    }

    /// Waits until nobody is making the instance, without making it.
    ///
    /// - Parameter reader: The thread that waits. It is making nothing that others wait for.
    func wait(for reader: Reader) {
        let semaphore = state.withLock { state -> DispatchSemaphore? in
            guard state.isBuilding else { return nil }
            let semaphore = DispatchSemaphore(value: 0)
            state.waiting.append(semaphore)
            return semaphore
        }
        guard let semaphore, WaitGraph.wait(on: node, by: reader.builder, for: reader.builders)
        else { return }
        semaphore.wait()
        WaitGraph.resume(reader.builder)
    }

    /// Whether one of these threads is making the instance.
    func isBuilt(by builders: [WaitGraph.Builder]) -> Bool {
        WaitGraph.builder(of: node).map(builders.contains) ?? false
    }

    /// Wakes those who wait.
    func end() {
        WaitGraph.end(node)
        let woken = state.withLock { state in
            defer { state = State() }
            return state.waiting
        }
        woken.forEach { $0.signal() }
    }

    private func turn(unless isMade: () -> Bool) -> Turn {
        state.withLock { state in
            if isMade() { return .use }
            guard state.isBuilding else {
                state.isBuilding = true
                return .build
            }
            let semaphore = DispatchSemaphore(value: 0)
            state.waiting.append(semaphore)
            return .wait(semaphore)
        }
    }
}
