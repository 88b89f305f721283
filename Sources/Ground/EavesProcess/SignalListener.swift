// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

package import EavesSystem
package import Glibc
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
        // SAFETY: the pointers are compared, and never called.
        if case .handled(unsafeBitCast(note as SignalHandler.Function, to: Int.self)) =
            SignalHandler.present(number)
        {
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

package enum SignalHandler {
    package typealias Function =
        @convention(c) (Int32, UnsafeMutablePointer<siginfo_t>?, UnsafeMutableRawPointer?) -> Void

    package enum Present {
        case usual, ignored
        /// The address of a handler, to be compared.
        case handled(Int)
    }

    /// Returns the present handling of a signal; `nil` if the number is not that of a signal.
    package static func present(_ number: Int32) -> Present? {
        var action = sigaction()
        guard sigaction(number, nil, &action) == 0 else { return nil }
        // SAFETY: the pointer is compared, and never called. The C constants SIG_DFL and SIG_IGN are 0 and 1.
        switch unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self) {
        case 0: return .usual
        case 1: return .ignored
        case let address: return .handled(address)
        }
    }

    /// Makes writing to a pipe without a reader an error, where it would end the process. A handler does so, since the
    /// programs that modules start would inherit a signal that is ignored.
    package static func letBrokenPipesFail() {
        if case .usual? = present(SIGPIPE) { signal(SIGPIPE) { _ in } }
    }

    /// Installs a handler, which no other one interrupts and which may call ``SignalPair``.
    ///
    /// - Returns: Whether the system has taken it.
    @discardableResult
    package static func install(_ handler: @escaping Function, for number: Int32) -> Bool {
        SignalPair.prepare()
        var action = sigaction()
        action.__sigaction_handler.sa_sigaction = handler
        action.sa_flags = SA_RESTART | SA_SIGINFO
        sigfillset(&action.sa_mask)
        return sigaction(number, &action, nil) == 0
    }
}

/// Tells when a signal is the second half of a pair.
///
/// A signal to a process group, or to all processes of a program, as `kill %1`, `pkill` and systemd send it, comes to a host
/// and to the process that waits for the host, which passes it on. That is one signal, and not two.
package enum SignalPair {
    /// Both halves come within this time, in milliseconds, however busy the machine is.
    private static let time: UInt64 = 10_000

    /// The last signal of each number that is not a second half: its sender, how it came, and when.
    // SAFETY: the memory is never freed, and each place in it is an atomic. A handler finds it made: `prepare` comes before.
    private nonisolated(unsafe) static let last = {
        let places = UnsafeMutablePointer<Atomic<UInt64>>.allocate(capacity: 65)
        for number in 0..<65 { (places + number).initialize(to: Atomic(0)) }
        return places
    }()

    /// To be called before a handler may call ``isSecond(_:from:isPassedOn:)``.
    static func prepare() { _ = last }

    /// Notes a signal, and tells whether it is the second half of a pair. A handler may call this.
    ///
    /// - Parameters:
    ///   - sender: The number of the process that has sent it.
    ///   - isPassedOn: Whether it has come by way of the process that waits for this one.
    package static func isSecond(_ number: Int32, from sender: Int32, isPassedOn: Bool) -> Bool {
        guard (1...64).contains(number) else { return false }
        var clock = timespec()
        clock_gettime(CLOCK_MONOTONIC, &clock)
        let now = UInt64(clock.tv_sec) * 1000 + UInt64(clock.tv_nsec) / 1_000_000
        let who = UInt64(UInt32(bitPattern: sender) & 0x3f_ffff) << 1 | (isPassedOn ? 1 : 0)
        let place = last + Int(number)
        while true {
            let before = place.pointee.load(ordering: .acquiring)
            let isSecond =
                before != 0 && before & whoMask == who ^ 1 && now - before >> whoBits < time
            let (exchanged, _) = place.pointee.compareExchange(
                expected: before, desired: isSecond ? 0 : now << whoBits | who,
                ordering: .acquiringAndReleasing)
            if exchanged { return isSecond }
        }
    }

    /// A number of a process has 22 bits on Linux.
    private static let whoBits: UInt64 = 23
    private static let whoMask: UInt64 = 1 << whoBits - 1

    /// The same for a signal that a handler gets. A signal of the terminal or the system is not half of a pair.
    package static func isSecond(
        _ number: Int32, _ information: UnsafeMutablePointer<siginfo_t>?
    ) -> Bool {
        guard let information = information?.pointee else { return false }
        let sender = information._sifields._kill.si_pid
        switch information.si_code {
        case 0: return isSecond(number, from: sender, isPassedOn: false)
        case queued where sender == getppid():
            let first = information._sifields._rt.si_sigval.sival_int
            return isSecond(number, from: first, isPassedOn: true)
        default: return false
        }
    }

    /// `SI_QUEUE`, by which the waiting process passes signals on.
    private static let queued: Int32 = -1
}
