// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesSystem
import Glibc
import Synchronization

/// Which modules are being started, by which thread, and who waits for which of them.
///
/// Two modules whose starts need each other would wait for ever. So a thread that is about to wait follows the board,
/// and does not wait if it leads back to the thread itself.
///
/// Safe from any thread.
final class StartBoard: Sendable {
    typealias Thread = UInt

    fileprivate struct Start {
        let module: String
        let thread: Thread
        let end: Awaited<Bool>
    }

    fileprivate enum Wait {
        case module(String)
        /// For what that thread does on behalf of the waiting one.
        case thread(Thread)
    }

    fileprivate struct State {
        /// In the order in which they began.
        var starts: [Start] = []
        var waits: [Thread: Wait] = [:]
    }

    private let state = Mutex(State())
    /// How long a thread waits for a start.
    let patience: Duration

    init(patience: Duration = .seconds(30)) {
        self.patience = patience
    }

    static var current: Thread { Thread(pthread_self()) }

    /// Notes that the calling thread starts a module.
    func begin(_ module: String) {
        state.withLock {
            $0.starts.append(Start(module: module, thread: Self.current, end: Awaited()))
        }
    }

    /// Notes that a start has ended, well or not.
    func end(_ module: String) {
        let start = state.withLock { state -> Start? in
            guard let index = state.starts.firstIndex(where: { $0.module == module }) else {
                return nil
            }
            return state.starts.remove(at: index)
        }
        start?.end.set(true)
    }

    /// Whether some thread starts a module.
    func isStarting(_ module: String) -> Bool {
        state.withLock { $0.starts.contains { $0.module == module } }
    }

    /// Whether some thread waits for the start of a module.
    func isAwaited(_ module: String) -> Bool {
        state.withLock { state in
            state.waits.values.contains {
                if case .module(module) = $0 { true } else { false }
            }
        }
    }

    /// Runs something on behalf of another thread, which waits for it.
    func working<Result>(
        for thread: Thread, _ body: () throws -> Result
    ) rethrows -> Result {
        let own = Self.current
        state.withLock { $0.waits[thread] = .thread(own) }
        defer { state.withLock { $0.waits[thread] = nil } }
        return try body()
    }

    /// Waits until no thread starts a module.
    ///
    /// - Throws: ``LifecycleError/circle(_:)`` if that start waits for this thread,
    ///   ``LifecycleError/startsTooLong(_:_:)`` if it takes too long.
    func wait(for module: String) throws(LifecycleError) {
        let own = Self.current
        let end = try state.withLock { state throws(LifecycleError) -> Awaited<Bool>? in
            guard let start = state.starts.first(where: { $0.module == module }) else { return nil }
            if let circle = Self.circle(from: start, to: own, state) {
                throw .circle(circle + [module])
            }
            state.waits[own] = .module(module)
            return start.end
        }
        guard let end else { return }
        let hasEnded = end.wait(within: patience)
        state.withLock { $0.waits[own] = nil }
        if hasEnded == nil { throw .startsTooLong(module, patience) }
    }

    /// The modules on the way from a start to a thread for which it waits, in order; `nil` if there is no such way.
    private static func circle(from start: Start, to goal: Thread, _ state: State) -> [String]? {
        var chain: [String] = []
        var (module, thread) = (start.module, start.thread)
        // Each step leads to another thread, so there are no more steps than threads.
        for _ in 0...(state.waits.count + state.starts.count) {
            chain += state.stack(of: thread, from: module)
            if thread == goal { return chain }
            switch state.waits[thread] {
            case .thread(let other):
                (module, thread) = ("", other)
            case .module(let next):
                guard let start = state.starts.first(where: { $0.module == next }) else {
                    return nil
                }
                (module, thread) = (next, start.thread)
            case nil:
                return nil
            }
        }
        return nil
    }
}

extension StartBoard.State {
    /// The modules that a thread is starting, from one on: each needs the next one.
    fileprivate func stack(of thread: StartBoard.Thread, from module: String) -> [String] {
        let own = starts.filter { $0.thread == thread }.map(\.module)
        return Array(own.drop { !module.isEmpty && $0 != module })
    }
}
