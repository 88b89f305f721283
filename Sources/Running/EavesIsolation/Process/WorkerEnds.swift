// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesInterface
import Glibc

/// The ends of a worker's processes so far, which say when the next one is started. A pure value.
struct WorkerEnds {
    /// The first pause between the ends of a process and its next start, and the longest one. After its first end, it is
    /// started again at once.
    let pauses: ClosedRange<Duration>
    /// The number of ends, without a good time in between.
    private var deaths = 0
    /// The number of those by the module's own mistake.
    private(set) var crashes = 0

    /// A process that has served for this long begins anew with its pauses.
    private static let goodTime = Duration.seconds(60)

    init(pauses: ClosedRange<Duration>) { self.pauses = pauses }

    /// Notes that a process has ended.
    ///
    /// - Parameters:
    ///   - isOwnMistake: Whether the module's own code has ended it.
    ///   - time: The time that it has lived.
    /// - Returns: The pause until the next one is started.
    mutating func note(isOwnMistake: Bool, after time: Duration) -> Duration {
        if time > Self.goodTime { (deaths, crashes) = (0, 0) }
        deaths += 1
        if isOwnMistake { crashes += 1 }
        guard deaths > 1 else { return .zero }
        return min(pauses.upperBound, pauses.lowerBound * (1 << min(deaths - 2, 10)))
    }
}

extension RemoteCallError {
    /// Whether the process has ended by what its own code has done. A signal such as `SIGKILL` tells of no mistake: others
    /// may have sent it.
    package var isOwnMistake: Bool {
        switch reason {
        case .killed(let signal):
            [SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV, SIGSYS].contains(signal)
        case .exited, .misunderstood: true
        default: false
        }
    }
}
