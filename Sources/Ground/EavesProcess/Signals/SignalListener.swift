// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

package import EavesSystem
import Glibc
import Synchronization

/// Takes signals on a thread of its own, where they may do anything: a handler only notes each signal in a pipe, and
/// the thread takes it from there. A process has one such thread.
package enum SignalListener {
    /// Begins to take signals.
    ///
    /// - Parameters:
    ///   - sparesOthers: Whether signals stay with the handlers that other code has installed for them already.
    ///   - deadline: When `expire` is to be called. Asked after each signal and each ``wake()``.
    ///   - take: A function that gets the number of each signal, and 0 for each ``wake()``.
    ///   - expire: A function that is called when the deadline has passed.
    package static func begin(
        _ numbers: [Int32], sparingOthers sparesOthers: Bool = false,
        until deadline: @escaping @Sendable () -> ContinuousClock.Instant?,
        take: @escaping @Sendable (Int32) -> Void, expire: @escaping @Sendable () -> Void
    ) throws(SystemError) {
        guard let pipe = Pipe() else { throw SystemError(.open, "a pipe") }
        // The handler may run at any time until the process ends.
        _ = fcntl(pipe.writeEnd, F_SETFL, O_NONBLOCK)
        notes.store(pipe.writeEnd, ordering: .releasing)
        let readEnd = pipe.readEnd
        listened.store(readEnd, ordering: .releasing)
        try DetachedThread.start {
            // A thread inherits blocked signals; one thread at least has to take them.
            var taken = sigset_t()
            sigemptyset(&taken)
            for number in numbers { sigaddset(&taken, number) }
            pthread_sigmask(SIG_UNBLOCK, &taken, nil)
            while true {
                if Pipe.isReadable(readEnd, within: PollTime.milliseconds(until: deadline())) {
                    taking.withLock {
                        var number: UInt8 = 0
                        if read(readEnd, &number, 1) == 1 { take(Int32(number)) }
                    }
                } else if deadline().map({ $0 <= .now }) ?? false {
                    expire()
                }
            }
        }
        intercept(numbers, sparingOthers: sparesOthers)
    }

    /// Installs the handlers. A signal that is ignored (`nohup`) stays ignored.
    ///
    /// - Parameter sparesOthers: Whether handlers that other code has installed already stay.
    package static func intercept(_ numbers: [Int32], sparingOthers sparesOthers: Bool = false) {
        for number in numbers {
            switch SignalHandler.present(number) {
            case nil, .ignored: continue
            case .handled where sparesOthers: continue
            case .usual, .handled: SignalHandler.install(note, for: number)
            }
        }
    }

    private static let taking = RecursiveLock()

    /// Waits until all signals were taken that have come so far.
    package static func settle() {
        let readEnd = listened.load(ordering: .acquiring)
        guard readEnd >= 0 else { return }
        while taking.withLock({ Pipe.isReadable(readEnd, within: 0) }) { usleep(100) }
    }

    /// Takes a signal that another process got for this one, as if it had come here.
    package static func pass(_ number: Int32) {
        if SignalHandler.isInstalled(note, for: number) {
            write(number)
        } else {
            kill(getpid(), number)
        }
    }

    /// Lets the thread look at its deadline again.
    package static func wake() { write(0) }

    fileprivate static func write(_ number: Int32) {
        var number = UInt8(truncatingIfNeeded: number)
        _ = Glibc.write(notes.load(ordering: .acquiring), &number, 1)
    }

    /// Ends the process by a signal, as if it had no handler.
    package static func end(by number: Int32) -> Never {
        signal(number, SIG_DFL)
        var ended = sigset_t()
        sigemptyset(&ended)
        sigaddset(&ended, number)
        pthread_sigmask(SIG_UNBLOCK, &ended, nil)
        kill(getpid(), number)
        // The signal may be blocked in a way that is unknown here.
        usleep(100_000)
        _exit(128 + number)
    }
}

/// The end of the pipe that the handler writes to, or -1.
private let notes = Atomic<Int32>(-1)

/// The end of the pipe that the thread reads from, or -1.
private let listened = Atomic<Int32>(-1)

/// Handles a signal.
///
/// SAFETY: it only uses atomics and calls `write`, `getppid` and `clock_gettime`, which signal handlers may do; the globals
/// are initialised before `intercept` installs the handler.
private func note(
    _ signal: Int32, _ information: UnsafeMutablePointer<siginfo_t>?, _: UnsafeMutableRawPointer?
) {
    let error = errno
    if !SignalPair.isSecond(signal, information) { SignalListener.write(signal) }
    errno = error
}
