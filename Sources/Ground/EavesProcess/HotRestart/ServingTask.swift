// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

package import EavesSystem
import Synchronization

/// The work of a process that may hand it over, and how far that has come.
///
///     idle → serving ⇄ preparing → draining → drained → leaving
///               └──────────┴→ over        └─→ serving again
///
/// Safe from any thread.
package final class ServingTask: Sendable {
    private enum Phase {
        case idle
        case serving
        /// A fresh process comes up, and this one serves.
        case preparing
        /// The work was asked to end.
        case draining
        /// The work has ended, and it is not decided what follows.
        case drained
        /// The work has ended by itself.
        case over
    }

    private struct State {
        var phase = Phase.idle
        /// Decides what follows the end of the work: `true` if the process ends, `false` if the work begins again.
        var decision: CheckedContinuation<Bool, Never>?
        /// Whether the work is to begin again once it has ended.
        var isRevoked = false
    }

    private let state = Mutex(State())
    /// Is noted when the work has ended, and when it is ready in a fresh process.
    package let ended: EventFlag

    /// - Parameter began: Is told that the work has begun.
    package init(began: @escaping @Sendable () -> Void) throws(SystemError) {
        self.began = began
        ended = try EventFlag()
    }

    /// Whether the work runs.
    package var isServing: Bool { state.withLock { $0.phase == .serving } }

    /// Whether the work has ended by itself.
    package var isOver: Bool { state.withLock { $0.phase == .over } }

    // MARK: The task

    /// Runs the work in the current task. It may block its thread, so it is known before it begins.
    package func run<Result>(_ work: () async throws -> Result) async throws -> Result {
        withUnsafeCurrentTask { task.set($0) }
        defer { task.set(nil) }
        state.withLock { state in
            state.isRevoked = false
            state.phase = .serving
        }
        began()
        return try await work()
    }

    /// The task of the work, while it runs.
    private let task = CurrentTask()
    /// Is told that the work has begun.
    private let began: @Sendable () -> Void

    /// Notes that the work has ended, and waits for the decision if it was asked to.
    ///
    /// - Returns: Whether the process ends with it; `false` if the work is to begin again.
    package func end() async -> Bool {
        await withCheckedContinuation { continuation in
            let answer: Bool? = state.withLock { state in
                switch state.phase {
                case .draining where state.isRevoked:
                    return false
                case .draining:
                    state.phase = .drained
                    state.decision = continuation
                    return nil
                default:
                    state.phase = .over
                    return true
                }
            }
            // Work that begins again has not ended.
            if answer != false { ended.note() }
            if let answer { continuation.resume(returning: answer) }
        }
    }

    // MARK: The handover

    /// Notes that a fresh process comes up; `false` if there is no work.
    package func prepare() -> Bool {
        state.withLock { state in
            guard state.phase == .serving else { return false }
            state.phase = .preparing
            return true
        }
    }

    /// Asks the work to end, and waits for that.
    ///
    /// - Returns: Whether it has ended by the deadline.
    package func drain(until deadline: ContinuousClock.Instant) -> Bool {
        let isDraining = state.withLock { state in
            guard state.phase == .preparing else { return false }
            state.phase = .draining
            return true
        }
        if isDraining { task.cancel() }
        return ended.wait(until: deadline)
    }

    /// Notes that the fresh process has failed: the work goes on, or begins again.
    ///
    /// - Returns: Whether it goes on without having been asked to end.
    package func goOn() -> Bool {
        var decision: CheckedContinuation<Bool, Never>?
        let goesOn = state.withLock { state in
            switch state.phase {
            case .preparing:
                state.phase = .serving
                return true
            case .draining: state.isRevoked = true
            case .drained:
                ended.take()
                decision = state.decision.take()
            default: break
            }
            return false
        }
        decision?.resume(returning: false)
        return goesOn
    }
}

/// A task that another thread may cancel while it runs.
// SAFETY: a task is set by itself, and taken away before its code ends. The lock is held while it is cancelled.
private final class CurrentTask: @unchecked Sendable {
    private var task: UnsafeCurrentTask?
    /// Cancelling runs the task's handlers, which may end it.
    private let lock = RecursiveLock()

    package func set(_ task: UnsafeCurrentTask?) { lock.withLock { self.task = task } }

    package func cancel() { lock.withLock { task?.cancel() } }
}
