// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

package import Glibc

/// The handlers of signals.
package enum SignalHandler {
    package typealias Function =
        @convention(c) (Int32, UnsafeMutablePointer<siginfo_t>?, UnsafeMutableRawPointer?) -> Void

    /// The present handling of a signal.
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

    /// Whether a handler is installed for a signal.
    package static func isInstalled(_ handler: Function, for number: Int32) -> Bool {
        guard case .handled(let address) = present(number) else { return false }
        // SAFETY: the pointers are compared, and never called.
        return address == unsafeBitCast(handler, to: Int.self)
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
