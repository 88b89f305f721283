// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Decides whether a caller keeps its thread for a moment, because the answer may come so soon. It does as long as answers
/// do; after one that did not come, the next calls give their threads away at once: two of them, then four, at most 256. Where
/// several calls are under way, other tasks have use for the thread, and 64 calls give theirs away.
///
/// A value, which one lock guards.
struct CallPatience {
    /// The time for which a caller keeps its thread: about as long as it takes to wake two threads.
    static let moment = Duration.microseconds(50)

    /// The number of answers in a row that have not come.
    private var failures = 0
    /// The number of calls that will not wait.
    private var pause = 0
    private let hasProcessors: Bool

    private static let mostFailures = 8
    private static let pauseInCompany = 64
    private static let hasProcessors = sysconf(Int32(_SC_NPROCESSORS_ONLN)) > 1

    /// - Parameter hasProcessors: Whether another thread can run while the caller waits.
    init(hasProcessors: Bool = Self.hasProcessors) { self.hasProcessors = hasProcessors }

    /// Whether the call that begins keeps its thread.
    ///
    /// - Parameter isAlone: Whether no other call is under way.
    mutating func mayWait(isAlone: Bool) -> Bool {
        guard hasProcessors else { return false }
        if !isAlone { pause = max(pause, Self.pauseInCompany) }
        guard pause > 0 else { return true }
        pause -= 1
        return false
    }

    /// Notes whether an answer has come in time.
    mutating func note(_ isAnswered: Bool) {
        failures = isAnswered ? 0 : min(failures + 1, Self.mostFailures)
        pause = isAnswered ? 0 : 1 << failures
    }
}
