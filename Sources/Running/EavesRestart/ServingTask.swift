// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesSystem
import Synchronization

/// The work of a process that may hand it over, and how far that has come.
///
///     idle → serving ⇄ preparing → draining → the process leaves
///               └──────────┴→ over     └─→ serving again
///
/// If the hand-over fails while the work is asked to end, it begins again at once. A run of it that has not ended by then
/// goes on next to the new one, until it has ended, also if it never suspends.
///
/// Safe from any thread.
final class ServingTask: Sendable {
    private enum Phase {
        case idle
        case serving
        /// A fresh process comes up, and this one serves.
        case preparing
        /// The work was asked to end.
        case draining
        /// The work has ended by itself.
        case over
    }

    private struct State {
        var phase = Phase.idle
        /// The number of the latest run.
        var latest = 0
        var isRunning = false
        /// The earlier runs that were asked to end, and have not.
        var leaving: Set<Int> = []
        /// When the first of them was asked.
        var leavingSince: ContinuousClock.Instant?
        /// When the latest run was asked.
        var drainingSince = ContinuousClock.now
        /// The task of the latest run, while it runs.
        var task: Task<Void, Never>?
        /// Whether each further task is cancelled at once.
        var isCancelled = false
        /// Each element begins a further run.
        var further: AsyncStream<Void>.Continuation?

        var hasEnded: Bool { !isRunning && leaving.isEmpty }
    }

    private let state = Mutex(State())
    /// A flag that is noted when all runs have ended, when the work is over, and when it is ready in a fresh process.
    let ended: EventFlag
    private let began: @Sendable () -> Void

    /// - Parameter began: A function that is called when the work has begun.
    init(began: @escaping @Sendable () -> Void) throws(SystemError) {
        self.began = began
        ended = try EventFlag()
    }

    /// Whether the work runs, and is not handed over.
    var isServing: Bool { state.withLock { $0.phase == .serving } }

    /// Whether the work has ended by itself.
    var isOver: Bool { state.withLock { $0.phase == .over } }

    /// Whether a run of the work may end because another one follows, here or in a fresh process.
    var isHandingOver: Bool {
        state.withLock { state in
            state.phase == .preparing || state.phase == .draining || !state.leaving.isEmpty
        }
    }

    /// When the earliest of the runs was asked to end that have not; `nil` if none was.
    var leavingSince: ContinuousClock.Instant? { state.withLock { $0.leavingSince } }

    // MARK: The runs

    /// Runs the work until it ends by itself, each time in a task of its own.
    func run<Value: Sendable>(
        _ work: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        let (further, continuation) = AsyncStream<Void>.makeStream()
        defer { continuation.finish() }
        state.withLock { $0.further = continuation }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { last in
                let begin = { @Sendable [self] in
                    beginRun { [self] number in
                        do {
                            let value = try await work()
                            if end(number) { last.resume(returning: value) }
                        } catch {
                            if end(number) { last.resume(throwing: error) }
                        }
                    }
                }
                // The work may block its thread.
                Task { for await _ in further { begin() } }
                begin()
            }
        } onCancel: {
            state.withLock { state in
                state.isCancelled = true
                return state.task
            }?.cancel()
        }
    }

    /// Begins to run the work, in a task of its own.
    private func beginRun(_ run: @escaping @Sendable (_ number: Int) async -> Void) {
        let (task, isCancelled) = state.withLock { state in
            state.latest += 1
            (state.phase, state.isRunning) = (.serving, true)
            // If it ends at once, it waits for the lock.
            let task = Task { [number = state.latest] in await run(number) }
            state.task = task
            return (task, state.isCancelled)
        }
        if isCancelled { task.cancel() }
        began()
    }

    /// Notes that a run has ended.
    ///
    /// - Returns: Whether the work is over with it.
    private func end(_ number: Int) -> Bool {
        let (isNews, isOver) = state.withLock { state in
            let isLatest = state.leaving.remove(number) == nil
            if state.leaving.isEmpty { state.leavingSince = nil }
            if isLatest { (state.isRunning, state.task) = (false, nil) }
            let isOver = isLatest && state.phase != .draining
            if isOver { (state.phase, state.further) = (.over, nil) }
            return (isOver || state.hasEnded, isOver)
        }
        if isNews { ended.note() }
        return isOver
    }

    // MARK: The handover

    /// Notes that a fresh process comes up.
    ///
    /// - Returns: `false` without work.
    func prepare() -> Bool {
        state.withLock { state in
            guard state.phase == .serving else { return false }
            state.phase = .preparing
            // An earlier attempt may have left a note.
            ended.take()
            return true
        }
    }

    /// Asks the work to end, and waits for that.
    ///
    /// - Returns: Whether all runs have ended by the deadline.
    func drain(until deadline: ContinuousClock.Instant) -> Bool {
        let task = state.withLock { state -> Task<Void, Never>? in
            guard state.phase == .preparing else { return nil }
            (state.phase, state.drainingSince) = (.draining, .now)
            return state.task
        }
        task?.cancel()
        while !state.withLock({ $0.hasEnded || $0.phase == .over }) {
            guard ended.wait(until: deadline) else { return false }
            ended.take()
        }
        return true
    }

    /// Notes that the hand-over has failed: the work goes on, or begins again if it was asked to end.
    func goOn() {
        state.withLock { state in
            if state.phase == .preparing { state.phase = .serving }
            guard state.phase == .draining else { return }
            if state.isRunning {
                state.leaving.insert(state.latest)
                state.leavingSince = state.leavingSince ?? state.drainingSince
                state.isRunning = false
            }
            state.further?.yield()
        }
    }
}
