// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesSystem
import Glibc
import Synchronization

/// Which modules are being loaded and started, by which thread, and who waits for which of them.
///
/// Two modules that need each other to start would wait for ever. So a thread that is about to wait follows the board,
/// and does not wait if it leads back to the thread itself.
///
/// Safe from any thread.
final class LoadBoard: Sendable {
    typealias Thread = UInt

    fileprivate struct Load {
        let module: String
        let thread: Thread
        /// Whether the module has registered and is being started. That must not take long.
        var isStarting = false
        let end: Awaited<Bool>
    }

    fileprivate enum Wait {
        case module(String)
        /// For what that thread does on behalf of the waiting one.
        case thread(Thread)
    }

    fileprivate struct State {
        /// In the order in which they began.
        var loads: [Load] = []
        var waits: [Thread: Wait] = [:]
    }

    private let state = Mutex(State())
    /// How long a thread waits for a module that is being started.
    let patience: Duration

    init(patience: Duration = .seconds(30)) {
        self.patience = patience
    }

    static var current: Thread { Thread(pthread_self()) }

    /// Notes that the calling thread loads a module.
    func begin(_ module: String) {
        state.withLock {
            $0.loads.append(Load(module: module, thread: Self.current, end: Awaited()))
        }
    }

    /// Notes that a module is being started: from now on, others wait for a limited time.
    func start(_ module: String) {
        state.withLock { state in
            guard let index = state.index(of: module) else { return }
            state.loads[index].isStarting = true
        }
    }

    /// Notes that the loading of a module has ended, well or not.
    func end(_ module: String) {
        let load = state.withLock { state in
            state.index(of: module).map { state.loads.remove(at: $0) }
        }
        load?.end.set(true)
    }

    /// Whether some thread loads or starts a module.
    func isLoading(_ module: String) -> Bool {
        state.withLock { $0.index(of: module) != nil }
    }

    /// Whether some thread waits for a module.
    func isAwaited(_ module: String) -> Bool {
        state.withLock { state in
            state.waits.values.contains {
                if case .module(module) = $0 { true } else { false }
            }
        }
    }

    /// Runs something on behalf of another thread, which waits for it.
    func working<Result, Failure: Error>(
        for thread: Thread, _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let own = Self.current
        state.withLock { $0.waits[thread] = .thread(own) }
        defer {
            state.withLock { state in
                // The thread may have given this one up, and wait for another one.
                if case .thread(own)? = state.waits[thread] { state.waits[thread] = nil }
            }
        }
        return try body()
    }

    /// Notes that the calling thread waits for no other one any more, whatever that does.
    func stopWaiting() {
        let own = Self.current
        state.withLock { $0.waits[own] = nil }
    }

    /// Waits until no thread loads or starts a module.
    ///
    /// - Throws: ``LifecycleError/circle(_:)`` if the module waits for this thread,
    ///   ``LifecycleError/startsTooLong(_:_:)`` if its start takes too long.
    func wait(for module: String) throws(LifecycleError) {
        let own = Self.current
        let end = try state.withLock { state throws(LifecycleError) -> Awaited<Bool>? in
            guard let load = state.load(of: module) else { return nil }
            if let circle = Self.circle(from: load, to: own, state) {
                throw .circle(circle + [module])
            }
            state.waits[own] = .module(module)
            return load.end
        }
        guard let end else { return }
        defer { state.withLock { $0.waits[own] = nil } }
        while end.wait(within: patience) == nil {
            // Code that hangs before the start is given up by the thread that loads it, if the host stays up.
            let isLate = state.withLock { state in
                state.loads.contains { $0.end === end && $0.isStarting }
            }
            if isLate { throw .startsTooLong(module, patience) }
        }
    }

    /// The modules on the way from a load to a thread for which it waits, in order; `nil` if there is no such way.
    private static func circle(from load: Load, to goal: Thread, _ state: State) -> [String]? {
        var chain: [String] = []
        var (module, thread) = (load.module, load.thread)
        // Each step leads to another thread, so there are no more steps than threads.
        for _ in 0...(state.waits.count + state.loads.count) {
            chain += state.stack(of: thread, from: module)
            if thread == goal { return chain }
            switch state.waits[thread] {
            case .thread(let other):
                (module, thread) = ("", other)
            case .module(let next):
                guard let load = state.load(of: next) else { return nil }
                (module, thread) = (next, load.thread)
            case nil:
                return nil
            }
        }
        return nil
    }
}

extension LoadBoard.State {
    fileprivate func index(of module: String) -> Int? {
        loads.firstIndex { $0.module == module }
    }

    fileprivate func load(of module: String) -> LoadBoard.Load? {
        index(of: module).map { loads[$0] }
    }

    /// The modules that a thread loads, from one on: each needs the next one.
    fileprivate func stack(of thread: LoadBoard.Thread, from module: String) -> [String] {
        let own = loads.filter { $0.thread == thread }.map(\.module)
        return Array(own.drop { !module.isEmpty && $0 != module })
    }
}
