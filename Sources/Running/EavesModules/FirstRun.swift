// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesLife
import EavesLoader
import EavesRegistry
import EavesSystem
import Synchronization

/// A module's code, when it runs for the first time in a host that stays up: its constructors, or its entry point.
///
/// The dynamic linker runs the constructors of one module at a time, and makes all others wait. Entry points of several
/// modules may run at once.
package struct FirstRun: Sendable {
    enum Step: Sendable {
        case load, register
    }

    let step: Step
    let module: String
    let file: String
    /// The time that the code has. It runs on a thread of its own, for which the host does not wait once the time is
    /// over, and which may hold the lock of the dynamic linker for ever.
    let limit: Duration
    /// Knows that a thread waits for another one.
    let board: LoadBoard

    /// The lock of the thread whose module's constructors run, whichever host loads it.
    private static let linker = RecursiveLock()
    private static let holder = Mutex<String?>(nil)

    /// The module whose constructors have not returned in time, and hold the dynamic linker's lock; `nil` if none does.
    package static var linkerHolder: String? { holder.withLock { $0 } }

    /// Runs the code.
    ///
    /// - Parameter body: Touches nothing that its caller touches after an error.
    /// - Throws: ``LoadError``, of `body`, or because the time is over.
    func run<Result>(_ body: @escaping () throws(LoadError) -> Result) throws(LoadError) -> Result {
        guard step == .load else { return try runDetached(body) }
        return try Self.linker.withLock { () throws(LoadError) in
            if let holder = Self.linkerHolder { throw .linkerIsHeld(by: holder) }
            return try runDetached(body)
        }
    }

    private func runDetached<Result>(
        _ body: @escaping () throws(LoadError) -> Result
    ) throws(LoadError) -> Result {
        let outcome = Awaited<Outcome<Swift.Result<Result, LoadError>>>()
        let work = Outcome(value: body)
        let caller = WaitGraph.current
        do throws(SystemError) {
            try DetachedThread.start {
                outcome.set(
                    Outcome(
                        value: Swift.Result { () throws(LoadError) in
                            try board.working(for: caller) { () throws(LoadError) in
                                try work.value()
                            }
                        }))
                if step == .load { releaseLinker() }
            }
        } catch {
            throw .noThread("\(error)")
        }
        guard let outcome = outcome.wait(within: limit) else {
            board.stopWaiting()
            CrashWatch.giveUpFirstRun(of: file, registers: step == .register)
            if step == .load {
                Self.holder.withLock { $0 = module }
                // They may have returned just now.
                if outcome.wait(within: .zero) != nil { releaseLinker() }
            }
            throw .hangs(registers: step == .register, limit)
        }
        return try outcome.value.get()
    }

    private func releaseLinker() {
        Self.holder.withLock { if $0 == module { $0 = nil } }
    }

    // SAFETY: one thread hands it to another one, waits for that, and does not touch it again if it waits in vain.
    private struct Outcome<Value>: @unchecked Sendable {
        let value: Value
    }
}
