// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

package import EavesDiagnostics
package import EavesInterface
import EavesSystem
import Glibc

/// The turn to create an instance that a scope keeps: one thread has it at a time.
///
/// Threads and tasks that want the same instance wait for the end of the turn: threads are blocked, and tasks are
/// suspended. ``WaitGraph`` finds threads that would wait for each other for ever before any of them waits. Then the
/// last one takes the turn over, and creates the instance itself.
final class CreationTurn: Sendable {
    private struct State {
        var isTaken = false
        /// Functions that wake the waiting threads and tasks, each under a number of its own.
        var waiting: [Int: @Sendable () -> Void] = [:]
        var lastNumber = 0

        mutating func number() -> Int {
            lastNumber += 1
            return lastNumber
        }
    }

    private enum Answer {
        case use
        case create
        case wait(Awaited<Void>)
    }

    private let state = Guarded(State())
    private let node = WaitGraph.Node(isInstance: true)

    /// Waits until the instance exists, or the caller has the turn to create it.
    ///
    /// - Parameters:
    ///   - mayHaveTurn: Whether the thread may have the turn already, and create the instance within its creation.
    ///   - cycle: The error to throw if waiting would never end, and the instance cannot be created otherwise.
    ///   - isLate: A function that is called at most once for each wait.
    /// - Returns: Whether the caller has the turn. It then has to end it, also if the creation fails.
    func begin(
        for context: ThreadContext, unless isCreated: () -> Bool, mayHaveTurn: Bool = false,
        cycle: () -> ResolutionError, after patience: Duration, isLate: () -> Void
    ) throws(ResolutionError) -> Bool {
        while true {
            switch answer(unless: isCreated) {
            case .use:
                return false
            case .create:
                WaitGraph.begin(node, by: context.thread)
                return true
            case .wait(let end):
                switch WaitGraph.waitOrTakeOver(node, by: context.waiter) {
                case .waits: break
                case .hasTurn where mayHaveTurn: return true
                case .takesOver: return true
                case .hasTurn, .needsItself: throw cycle()
                }
                if end.wait(within: patience) == nil {
                    isLate()
                    end.wait()
                }
                WaitGraph.resume(context.thread)
            }
        }
    }

    /// Ends the turn, and wakes all that wait for it. Does nothing if the thread does not have the turn any more.
    ///
    /// - Parameter publish: A function that makes the instance visible. Called while no other thread can take the turn over.
    /// - Returns: Whether the thread had the turn.
    @discardableResult
    func end(by thread: WaitGraph.Thread, publishing publish: () -> Void = {}) -> Bool {
        Self.end([self], by: thread, publishing: publish)
    }

    /// Ends turns together, as ``end(by:publishing:)``; none of them if the thread does not have them all.
    static func end(
        _ turns: [CreationTurn], by thread: WaitGraph.Thread, publishing publish: () -> Void
    ) -> Bool {
        guard WaitGraph.end(turns.map(\.node), by: thread, publish) else { return false }
        for turn in turns { turn.wake() }
        return true
    }

    private func wake() {
        let woken = state.withLock { state in
            state.isTaken = false
            defer { state.waiting = [:] }
            return state.waiting
        }
        for wake in woken.values { wake() }
    }

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
            let end = Awaited<Void>()
            state.waiting[state.number()] = { end.set(()) }
            return .wait(end)
        }
    }
}

/// A thread waits for a long time for an instance that another thread creates.
///
/// A factory may take its time. But if it waits for the very thread that waits for it, neither goes on,
/// and nothing can know: the thread did not ask through the factory's resolver.
package struct LongWait: Sendable {
    package let request: ServiceRequest
    /// The registration whose factory runs, with module and place; `nil` for a lazy value.
    package let registration: Registration?
    package let duration: Duration

    package var diagnostic: Diagnostic {
        Diagnostic(
            "a thread has waited \(duration) for "
                + "\(registration?.description ?? request.description), "
                + "which another thread is creating",
            fix:
                "if that thread's factory waits for this one, ask the resolver that the factory was "
                + "given", code: .configuration)
    }

    func print() {
        let text = "warning: \(diagnostic)\n"
        _ = text.utf8.withContiguousStorageIfAvailable {
            write(STDERR_FILENO, $0.baseAddress, $0.count)
        }
    }
}

extension Container {
    func tellOfLongWait(for request: ServiceRequest, _ registration: Registration? = nil) {
        onLongWait(LongWait(request: request, registration: registration, duration: patience))
    }
}
