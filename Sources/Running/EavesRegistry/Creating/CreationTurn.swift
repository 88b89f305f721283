// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesInterface

/// The turn to create an instance that a scope keeps: one thread has it at a time.
///
/// Only those who want the same instance wait for it: threads are blocked, and tasks are suspended.
/// Threads that would wait for each other for ever are found before any of them waits, by
/// ``WaitGraph``.
final class CreationTurn: Sendable {
    private struct State {
        var isTaken = false
        /// Functions that wake those who wait, each under a number of its own.
        var waiting: [Int: @Sendable () -> Void] = [:]
        var lastNumber = 0

        mutating func number() -> Int {
            lastNumber += 1
            return lastNumber
        }

        /// A semaphore that is signalled when the turn ends.
        mutating func semaphore() -> Semaphore {
            let semaphore = Semaphore()
            waiting[number()] = { semaphore.signal() }
            return semaphore
        }
    }

    private enum Answer {
        case use
        case create
        case wait(Semaphore)
    }

    private let state = Guarded(State())
    private let node = WaitGraph.Node(isInstance: true)

    /// Waits until the instance exists, or the caller has the turn to create it.
    ///
    /// - Parameters:
    ///   - context: The thread that asks.
    ///   - isCreated: Whether the instance exists.
    ///   - cycle: The error to throw if waiting would never end.
    ///   - patience: How long to wait before calling `isLate`.
    ///   - isLate: Is called at most once for each wait.
    /// - Returns: Whether the caller has the turn. It then has to call ``end()``, also if the creation
    ///   fails.
    func begin(
        for context: ThreadContext, unless isCreated: () -> Bool,
        cycle: () -> ResolutionError, after patience: Duration, isLate: () -> Void
    ) throws(ResolutionError) -> Bool {
        while true {
            switch answer(unless: isCreated) {
            case .use:
                return false
            case .create:
                WaitGraph.begin(node, by: context.thread)
                return true
            case .wait(let semaphore):
                guard WaitGraph.wait(on: node, by: context.waiter) == nil else { throw cycle() }
                if !semaphore.wait(for: patience) {
                    isLate()
                    semaphore.wait()
                }
                WaitGraph.resume(context.thread)
            }
        }
    }

    /// Waits until no thread has the turn, without taking it.
    ///
    /// - Parameter context: The thread that waits. It creates nothing that others wait for.
    func wait(in context: ThreadContext) {
        let semaphore = state.withLock { state -> Semaphore? in
            state.isTaken ? state.semaphore() : nil
        }
        guard let semaphore, WaitGraph.wait(on: node, by: context.waiter) == nil else { return }
        semaphore.wait()
        WaitGraph.resume(context.thread)
    }

    /// Whether one of these threads has the turn.
    func isTaken(byOneOf threads: [WaitGraph.Thread]) -> Bool {
        WaitGraph.creator(of: node).map(threads.contains) ?? false
    }

    /// Whether the thread that has the turn waits for a module, and in the end for this thread.
    func leadsThroughModule(to waiter: WaitGraph.Waiter) -> Bool {
        WaitGraph.leadsThroughModule(from: node, to: waiter)
    }

    /// Ends the turn, and wakes those who wait for it.
    func end() {
        WaitGraph.end(node)
        let woken = state.withLock { state in
            state.isTaken = false
            defer { state.waiting = [:] }
            return state.waiting
        }
        for wake in woken.values { wake() }
    }

    /// Whether a thread has the turn.
    var isTaken: Bool { state.withLock { $0.isTaken } }

    /// Suspends the task until the turn has ended, or the task is cancelled.
    func ended() async {
        let number = state.withLock { $0.number() }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isWaiting = state.withLock { state in
                    if state.isTaken { state.waiting[number] = { continuation.resume() } }
                    return state.isTaken
                }
                if !isWaiting {
                    continuation.resume()
                } else if Task.isCancelled {
                    // The handler may have run before there was a continuation to resume.
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

    private func answer(unless isCreated: () -> Bool) -> Answer {
        state.withLock { state in
            if isCreated() { return .use }
            guard state.isTaken else {
                state.isTaken = true
                return .create
            }
            return .wait(state.semaphore())
        }
    }
}
