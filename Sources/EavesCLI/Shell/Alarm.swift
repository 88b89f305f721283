// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

internal import CSystem
import EavesInterface
import EavesSystem
import Glibc

/// Wakes a thread that waits for a descriptor.
///
/// Safe from any thread.
final class Alarm: Sendable {
    /// Becomes readable when the alarm is raised, and stays so until it is cleared.
    let descriptor: Int32

    /// - Throws: `SystemError` if no descriptors are left.
    init() throws(SystemError) {
        descriptor = eventfd(0, O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else { throw SystemError(.open, "an alarm") }
    }

    deinit { close(descriptor) }

    func raise() {
        var count: UInt64 = 1
        _ = write(descriptor, &count, MemoryLayout.size(ofValue: count))
    }

    /// Waits until standard input can be read.
    ///
    /// - Throws: `ConsoleError` if the alarm is raised before that.
    func waitForInput() throws(ConsoleError) {
        while true {
            var sources = [
                pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0),
                pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0),
            ]
            guard poll(&sources, 2, -1) > 0 else { continue }
            if sources[1].revents != 0 { throw ConsoleError("interrupted") }
            return
        }
    }

    func clear() {
        var count: UInt64 = 0
        _ = read(descriptor, &count, MemoryLayout.size(ofValue: count))
    }
}
