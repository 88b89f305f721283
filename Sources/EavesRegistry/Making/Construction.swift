// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesInterface

/// Whose turn it is to make a shared instance: one thread's at a time.
///
/// While it is being made only those who want it wait: threads are blocked, and tasks that await it
/// are suspended. Threads that wait for each other in a circle are found before any of them waits,
/// through ``WaitGraph``.
final class Construction: Sendable {
    private struct State {
        var isBuilding = false
        /// What wakes those who wait, by a number that each of them has.
        var waiting: [Int: @Sendable () -> Void] = [:]
        var lastNumber = 0

        mutating func number() -> Int {
            lastNumber += 1
            return lastNumber
        }

        /// What a thread waits for that waits for the end.
        mutating func semaphore() -> Semaphore {
            let semaphore = Semaphore()
            waiting[number()] = { semaphore.signal() }
            return semaphore
        }
    }

    private enum Turn {
        case use
        case build
        case wait(Semaphore)
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
        let semaphore = state.withLock { state -> Semaphore? in
            state.isBuilding ? state.semaphore() : nil
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
            state.isBuilding = false
            defer { state.waiting = [:] }
            return state.waiting
        }
        for wake in woken.values { wake() }
    }

    /// Whether it is being made.
    var isUnderWay: Bool { state.withLock { $0.isBuilding } }

    /// Suspends the task until who makes it has ended, or the task is cancelled.
    func ended() async {
        let number = state.withLock { $0.number() }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isWaiting = state.withLock { state in
                    if state.isBuilding { state.waiting[number] = { continuation.resume() } }
                    return state.isBuilding
                }
                if !isWaiting {
                    continuation.resume()
                } else if Task.isCancelled {
                    // The handler may have run before there was anybody to wake.
                    wake(number)
                }
            }
        } onCancel: {
            wake(number)
        }
    }

    private func wake(_ number: Int) {
        state.withLock { $0.waiting.removeValue(forKey: number) }?()
    }

    private func turn(unless isMade: () -> Bool) -> Turn {
        state.withLock { state in
            if isMade() { return .use }
            guard state.isBuilding else {
                state.isBuilding = true
                return .build
            }
            return .wait(state.semaphore())
        }
    }
}
