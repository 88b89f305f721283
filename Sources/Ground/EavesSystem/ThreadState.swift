// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import CEavesNative
import Glibc
import Synchronization

/// The state that a thread has for itself, and that code of a module can change for all that runs on the thread later.
package enum ThreadState {
    /// The parts that code of modules has changed, and that threads have got back: whether they computed with
    /// floating-point numbers in another way, and the signals that they blocked, or no longer blocked.
    package typealias Changes = (ofArithmetic: Bool, signals: [Int32])

    private static let changes = Mutex((isOther: false, signals: UInt(0)))

    /// Runs code of a module, and gives the thread its state back.
    package static func keeping<Result, Failure: Error>(
        _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let arithmetic = eaves_arithmetic()
        var signals = sigset_t()
        pthread_sigmask(SIG_SETMASK, nil, &signals)
        defer {
            let isOther = eaves_arithmetic() != arithmetic
            eaves_set_arithmetic(arithmetic)
            var last = sigset_t()
            pthread_sigmask(SIG_SETMASK, &signals, &last)
            let others = signals.__val.0 ^ last.__val.0
            if isOther || others != 0 {
                changes.withLock { $0 = ($0.isOther || isOther, $0.signals | others) }
            }
        }
        return try body()
    }

    /// Returns the changes since the last call, on all threads of the process.
    package static func takeChanges() -> Changes {
        let (isOther, signals) = changes.withLock { changes in
            defer { changes = (false, 0) }
            return changes
        }
        return (isOther, (1...64).filter { signals >> ($0 - 1) & 1 == 1 })
    }
}
