// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

/// Who waits for an instance that is being made: a value; ``AsyncInstance`` locks it, and acts on what
/// it says.
struct AsyncInstanceState<Waiter> {
    /// What is left to do when a making has ended.
    struct Ending {
        let waiters: [Waiter]
        /// Whether all who waited had gone at some time, so that the factory was told to stop: who
        /// waits now came later, and is not to be told of a failure that this may have brought about.
        let wasAbandoned: Bool
    }

    private struct Run {
        let making: Making
        var waiters: [Int: Waiter] = [:]
        var isAbandoned = false
    }

    private var run: Run?
    private var lastWaiter = 0

    /// What is being made, if it is.
    var making: Making? { run?.making }

    /// A number for somebody who may be going to wait.
    mutating func number() -> Int {
        lastWaiter += 1
        return lastWaiter
    }

    /// Begins a making. There must be none.
    mutating func begin(_ making: Making) {
        run = Run(making: making)
    }

    /// Lets somebody wait for the making that is under way.
    mutating func wait(_ waiter: Waiter, number: Int) {
        run?.waiters[number] = waiter
    }

    /// Lets somebody wait no longer.
    ///
    /// - Returns: Who that was, if he still waited; and whether nobody is left, and the making is to
    ///   be told to stop.
    mutating func leave(number: Int) -> (waiter: Waiter, isAbandoned: Bool)? {
        guard let waiter = run?.waiters.removeValue(forKey: number) else { return nil }
        let isAbandoned = run?.waiters.isEmpty ?? false
        if isAbandoned { run?.isAbandoned = true }
        return (waiter, isAbandoned)
    }

    /// Ends the making.
    mutating func end() -> Ending {
        defer { run = nil }
        let waiters = (run?.waiters ?? [:]).sorted { $0.key < $1.key }.map(\.value)
        return Ending(waiters: waiters, wasAbandoned: run?.isAbandoned ?? false)
    }
}
