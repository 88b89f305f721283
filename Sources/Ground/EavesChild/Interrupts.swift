// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesProcess
import EavesSystem
import Glibc
import Synchronization

/// Defers the signals by which a person or the system ends a process (`SIGINT`, `SIGTERM`,
/// `SIGHUP`, `SIGQUIT`), so that the process can clean up first.
///
/// A handler notes the signal and makes a descriptor readable. When the last deferral ends, the former handlers are
/// restored and the signal is sent again: a process that it would have ended ends then.
package struct Interrupts: Sendable {
    /// A descriptor that becomes readable when a signal comes in. Valid within ``deferred(during:)``.
    package let descriptor: Int32

    /// The first signal that came in, or `nil`.
    package var signal: Int32? {
        let number = caught.load(ordering: .acquiring)
        return number == 0 ? nil : number
    }

    /// Runs `body` with the signals deferred. Calls may be nested, and may run on several threads.
    package static func deferred<Result, Failure: Error>(
        during body: (Interrupts) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let descriptor = shared.withLock { $0.begin() }
        defer {
            if let number = shared.withLock({ $0.end() }) { sendAgain(number) }
        }
        return try body(Interrupts(descriptor: descriptor))
    }

    /// Lets `Ctrl-\` (`SIGQUIT`) end this process, unless the signal is ignored. Swift's runtime takes it
    /// for a crash: it prints a backtrace, and then the process goes on as if it had not been asked to end.
    package static func restoreQuit() {
        if case .ignored = SignalHandler.present(SIGQUIT) { return }
        Glibc.signal(SIGQUIT, SIG_DFL)
    }

    /// Sends a signal to this process, not to this thread: a worker thread has blocked signals. While all
    /// threads block it, the signal waits, and so does this function, for a second at most: otherwise the process
    /// could end as if the signal had not been sent.
    private static func sendAgain(_ number: Int32) {
        kill(getpid(), number)
        var waiting = sigset_t()
        for _ in 0..<1_000 {
            guard sigpending(&waiting) == 0, sigismember(&waiting, number) == 1 else { return }
            usleep(1_000)
        }
    }

    private static let shared = Mutex(Shared())

    /// The state of all deferrals at one time: a process has one handler for each signal.
    private struct Shared {
        private var count = 0
        private var former: [(signal: Int32, action: sigaction)] = []

        mutating func begin() -> Int32 {
            count += 1
            if count == 1 {
                flag?.take()
                caught.store(0, ordering: .releasing)
                for number in [SIGINT, SIGTERM, SIGHUP, SIGQUIT] {
                    // A signal that is ignored (`nohup`) stays ignored.
                    if case .ignored = SignalHandler.present(number) { continue }
                    var (action, before) = (sigaction(), sigaction())
                    action.__sigaction_handler.sa_handler = note
                    if sigaction(number, &action, &before) == 0 { former.append((number, before)) }
                }
            }
            // Without a flag, if no descriptors were left, a signal is still noticed, a little later.
            return flag?.descriptor ?? -1
        }

        /// Returns the signal to send again if this was the last deferral.
        mutating func end() -> Int32? {
            count -= 1
            guard count == 0 else { return nil }
            for (number, var action) in former { sigaction(number, &action, nil) }
            former = []
            let number = caught.exchange(0, ordering: .acquiringAndReleasing)
            return number == 0 ? nil : number
        }
    }
}

/// The first signal that came in, or 0.
private let caught = Atomic<Int32>(0)
/// Noted once a signal has come in.
private let flag = try? EventFlag(for: .open, "signals")

/// Handles a signal.
///
/// SAFETY: it only uses atomic operations and calls `write`, which signal handlers may do, and
/// `begin()` has initialised the globals before it installs the handler. The flag is never released.
private func note(_ signal: Int32) {
    let error = errno
    _ = caught.compareExchange(expected: 0, desired: signal, ordering: .acquiringAndReleasing)
    flag?.note()
    errno = error
}
