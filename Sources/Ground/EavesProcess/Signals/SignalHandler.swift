// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

package import Glibc
import Synchronization

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

    package static func isInstalled(_ handler: Function, for number: Int32) -> Bool {
        guard case .handled(let address) = present(number) else { return false }
        // SAFETY: the pointers are compared, and never called.
        return address == unsafeBitCast(handler, to: Int.self)
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
    package static func isSecond(
        _ number: Int32, from sender: Int32, isPassedOn: Bool
    ) -> Bool {
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
}

extension SignalPair {
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
