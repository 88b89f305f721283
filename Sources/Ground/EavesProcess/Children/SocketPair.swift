// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Two connected sockets, one for each process. No program inherits them unless it is given one. Their maker
/// closes both.
package struct SocketPair {
    package let ours: Int32
    package let theirs: Int32

    /// Fails with `errno` set.
    package init?() {
        var ends: [Int32] = [-1, -1]
        let type = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        guard socketpair(AF_UNIX, type, 0, &ends) == 0 else { return nil }
        (ours, theirs) = (ends[0], ends[1])
    }

    /// Sends a few bytes without waiting. If the other process is gone or does not read, nothing happens.
    package static func send(_ bytes: [UInt8], to socket: Int32) {
        guard socket >= 0 else { return }
        let flags = Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT)
        _ = Glibc.send(socket, bytes, bytes.count, flags)
    }
}
