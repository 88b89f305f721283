// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

internal import CEavesSystem
import Glibc

/// The two ends of a pipe, which no child process inherits. Its maker closes both ends.
package struct Pipe {
    package var readEnd: Int32
    package var writeEnd: Int32

    /// Fails with `errno` set.
    package init?() {
        var ends: [Int32] = [-1, -1]
        guard pipe2(&ends, O_CLOEXEC) == 0 else { return nil }
        (readEnd, writeEnd) = (ends[0], ends[1])
    }

    package func close() {
        Glibc.close(readEnd)
        Glibc.close(writeEnd)
    }

    /// Whether a descriptor can be read without waiting: bytes have come in, or the other end is
    /// closed.
    ///
    /// - Parameter milliseconds: How long to wait for that.
    package static func isReadable(_ descriptor: Int32, within milliseconds: Int32) -> Bool {
        var watched = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return poll(&watched, 1, milliseconds) > 0
    }

    /// Reads up to `count` bytes of a descriptor. Returns none at the end, and `nil` if a signal
    /// interrupted it.
    package static func read(_ descriptor: Int32, count: Int) -> [UInt8]? {
        var got = 0
        let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            got = Glibc.read(descriptor, buffer.baseAddress, count)
            filled = max(0, got)
        }
        return got < 0 && errno == EINTR ? nil : bytes
    }
}
