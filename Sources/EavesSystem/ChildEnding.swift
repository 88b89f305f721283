// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import Glibc

/// How a child process ended.
package enum ChildEnding: Hashable, Sendable {
    /// By itself, with a code of its own.
    case exited(Int32)
    /// By a signal.
    case signalled(Int32)

    /// It ended by itself and says that all is well.
    package var isSuccess: Bool { self == .exited(0) }

    /// From the status that `waitpid` gives of a child that ended.
    package init(status: Int32) {
        let signal = status & 0x7f
        self = signal == 0 ? .exited((status >> 8) & 0xff) : .signalled(signal)
    }
}

extension ChildEnding: CustomStringConvertible {
    /// Such as `exit code 1` or `signal 11 (Segmentation fault)`.
    package var description: String {
        switch self {
        case .exited(let code): "exit code \(code)"
        case .signalled(let signal): "signal \(signal) (\(String(cString: strsignal(signal))))"
        }
    }
}
