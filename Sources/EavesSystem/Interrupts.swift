// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import Glibc
import Synchronization

/// Holds back the signals by which a person or the system ends a process, so that what was begun can
/// be cleaned up first.
///
/// A handler does nothing but note the signal and make a pipe readable. When the last one who held
/// back is done, the former handlers stand again and the signal is sent anew: a process that would
/// have died of it dies of it then.
package struct Interrupts: Sendable {
    /// Readable from the moment a signal came in. Valid within ``deferred(during:)``.
    package let descriptor: Int32

    /// The signal that came in, or `nil`.
    package var signal: Int32? {
        let number = caught.load(ordering: .acquiring)
        return number == 0 ? nil : number
    }

    /// Runs `body` with the signals held back. May be nested and run on several threads at once.
    package static func deferred<Result, Failure: Error>(
        during body: (Interrupts) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let descriptor = shared.withLock { $0.begin() }
        defer {
            // To the process, not to this thread: a worker thread may have signals blocked.
            if let number = shared.withLock({ $0.end() }) { kill(getpid(), number) }
        }
        return try body(Interrupts(descriptor: descriptor))
    }

    private static let shared = Mutex(Shared())

    /// What all who hold back at one time have together: a process has one handler a signal.
    private struct Shared {
        private var count = 0
        private var readEnd: Int32 = -1
        private var former: [(signal: Int32, action: sigaction)] = []

        mutating func begin() -> Int32 {
            count += 1
            if count > 1 { return readEnd }
            openPipe()
            caught.store(0, ordering: .releasing)
            for number in [SIGINT, SIGTERM, SIGHUP] { intercept(number) }
            return readEnd
        }

        /// The signal to raise, when this was the last one.
        mutating func end() -> Int32? {
            count -= 1
            guard count == 0 else { return nil }
            for (number, var action) in former { sigaction(number, &action, nil) }
            former = []
            close(readEnd)
            close(writeEnd.exchange(-1, ordering: .acquiringAndReleasing))
            let number = caught.exchange(0, ordering: .acquiringAndReleasing)
            return number == 0 ? nil : number
        }

        /// Without a pipe (no descriptors left) a signal is still noted, a little later.
        private mutating func openPipe() {
            let pipe = Pipe()
            readEnd = pipe?.readEnd ?? -1
            writeEnd.store(pipe?.writeEnd ?? -1, ordering: .releasing)
        }

        /// A signal that is ignored (`nohup`) stays ignored.
        private mutating func intercept(_ number: Int32) {
            var before = sigaction()
            guard sigaction(number, nil, &before) == 0 else { return }
            // SAFETY: the C constant SIG_IGN is the function pointer 1, which is never called here.
            let isIgnored =
                unsafeBitCast(before.__sigaction_handler.sa_handler, to: Int.self) == 1
            guard !isIgnored else { return }
            var action = sigaction()
            action.__sigaction_handler.sa_handler = note
            guard sigaction(number, &action, nil) == 0 else { return }
            former.append((number, before))
        }
    }
}

/// The first signal that came in, or 0.
private let caught = Atomic<Int32>(0)
/// The end of the pipe that the handler writes to, or -1.
private let writeEnd = Atomic<Int32>(-1)

/// The handler.
///
/// SAFETY: it calls nothing but atomic operations and `write`, both allowed in a signal handler, and
/// the globals have been initialised by `begin()` before it was installed.
private func note(_ signal: Int32) {
    let error = errno
    _ = caught.compareExchange(expected: 0, desired: signal, ordering: .acquiringAndReleasing)
    var byte: UInt8 = 0
    _ = write(writeEnd.load(ordering: .acquiring), &byte, 1)
    errno = error
}
