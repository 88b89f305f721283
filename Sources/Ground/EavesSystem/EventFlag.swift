// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

internal import CEavesSystem
import Glibc

/// An event that one thread notes and another one waits for, also together with descriptors. It stays noted until
/// a thread takes it.
///
/// Safe from any thread. A handler of a signal can write to the descriptor: it is an eventfd.
package final class EventFlag: Sendable {
    /// Readable while the event is noted.
    package let descriptor: Int32

    /// - Parameters:
    ///   - action: The purpose of the event, for the error.
    ///   - subject: The subject of the action.
    /// - Throws: `SystemError` if no descriptor is left.
    package init(
        for action: SystemError.Action = .open, _ subject: String = "an event"
    ) throws(SystemError) {
        descriptor = eventfd(0, O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else { throw SystemError(action, subject) }
    }

    deinit { close(descriptor) }

    package func note() {
        var one: UInt64 = 1
        _ = write(descriptor, &one, MemoryLayout.size(ofValue: one))
    }

    /// Takes the event back, if it was noted.
    package func take() {
        var number: UInt64 = 0
        _ = read(descriptor, &number, MemoryLayout.size(ofValue: number))
    }

    /// Waits until the event is noted; returns whether it was by the deadline.
    package func wait(until deadline: ContinuousClock.Instant? = nil) -> Bool {
        Self.wait(for: [self], until: deadline)
    }

    /// Waits until one of some events is noted; returns whether one was by the deadline.
    package static func wait(
        for flags: [EventFlag], until deadline: ContinuousClock.Instant? = nil
    ) -> Bool {
        var sources = flags.map {
            pollfd(fd: $0.descriptor, events: Int16(POLLIN), revents: 0)
        }
        while true {
            let time = PollTime.milliseconds(until: deadline)
            if poll(&sources, nfds_t(sources.count), time) > 0 { return true }
            if let deadline, ContinuousClock.now >= deadline { return false }
        }
    }
}

/// Times as `poll` takes them.
package enum PollTime {
    /// The time that is left, rounded up; -1 for ever. A very long time is cut short, and has to be waited for again.
    package static func milliseconds(until deadline: ContinuousClock.Instant?) -> Int32 {
        guard let deadline else { return -1 }
        let (seconds, attoseconds) = (deadline - .now).components
        guard seconds >= 0, attoseconds >= 0 else { return 0 }
        return Int32(min(seconds, 1_000_000)) * 1000
            + Int32(attoseconds / 1_000_000_000_000_000) + 1
    }
}
