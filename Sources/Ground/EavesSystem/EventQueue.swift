// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

internal import CEavesSystem
import Glibc

/// Waits for several descriptors at once, on any number of threads: what happens to a descriptor wakes one of them.
///
/// Safe from any thread.
package final class EventQueue: Sendable {
    package struct Events: OptionSet, Sendable {
        package let rawValue: UInt32

        package init(rawValue: UInt32) { self.rawValue = rawValue }

        /// Something can be read, or the other end is closed, perhaps for writing alone.
        package static let input = Events(rawValue: UInt32(POLLIN) | shut)
        /// Something can be written.
        package static let output = Events(rawValue: UInt32(POLLOUT))
        fileprivate static let closed = Events(rawValue: UInt32(POLLHUP | POLLERR) | shut)
        private static let shut = UInt32(EAVES_EPOLL_SHUT)
    }

    /// The events of one wait, by their descriptors.
    package struct Ready: Sendable {
        fileprivate var events: [(descriptor: Int32, events: Events)] = []

        package var isEmpty: Bool { events.isEmpty }

        /// Whether one of these events has happened to a descriptor. A closed end can be read and written.
        package func contains(_ descriptor: Int32, for events: Events = .input) -> Bool {
            self.events.contains {
                $0.descriptor == descriptor && !$0.events.isDisjoint(with: [events, .closed])
            }
        }

        package func isClosed(_ descriptor: Int32) -> Bool {
            events.contains { $0.descriptor == descriptor && !$0.events.isDisjoint(with: .closed) }
        }
    }

    private let descriptor: Int32

    /// The most descriptors that one wait tells of.
    private static let most = 4

    /// - Parameter subject: The waiting part of the program, for the error.
    package init(_ subject: String) throws(SystemError) {
        descriptor = epoll_create1(O_CLOEXEC)
        guard descriptor >= 0 else { throw SystemError(.open, subject) }
    }

    deinit { close(descriptor) }

    /// Begins to wait for a descriptor, which is open as long as the queue.
    ///
    /// - Parameter once: Whether an event is told once, to one thread, until it happens again. Otherwise it is told for
    ///   as long as it lasts.
    package func watch(
        _ watched: Int32, for events: Events, once: Bool = false
    ) throws(SystemError) {
        guard control(Int32(EAVES_EPOLL_ADD), watched, events, once) == 0 else {
            throw SystemError(.open, "an event")
        }
    }

    /// Waits for other events of a descriptor, also if they have happened already.
    package func change(_ watched: Int32, to events: Events, once: Bool = false) {
        _ = control(Int32(EAVES_EPOLL_CHANGE), watched, events, once)
    }

    private func control(
        _ operation: Int32, _ watched: Int32, _ events: Events, _ once: Bool
    ) -> Int32 {
        var event = epoll_event(
            events: events.rawValue | (once ? 1 << 31 : 0), data: UInt64(watched))
        return epoll_ctl(descriptor, operation, watched, &event)
    }

    /// Waits until something has happened. Returns nothing at the deadline, or after a signal.
    package func wait(until deadline: ContinuousClock.Instant?) -> Ready {
        withUnsafeTemporaryAllocation(of: epoll_event.self, capacity: Self.most) { events in
            let count = epoll_wait(
                descriptor, events.baseAddress, Int32(Self.most),
                PollTime.milliseconds(until: deadline))
            return Ready(
                events: events.prefix(max(0, Int(count))).map {
                    (Int32(truncatingIfNeeded: $0.data), Events(rawValue: $0.events))
                })
        }
    }
}

/// An event that one thread notes and another one waits for, also together with descriptors. It stays noted until
/// a thread takes it.
///
/// Safe from any thread. A handler of a signal can write to the descriptor: it is an eventfd.
package final class EventFlag: Sendable {
    /// Readable while the event is noted.
    package let descriptor: Int32

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
        while true {
            let time = PollTime.milliseconds(until: deadline)
            if Pipe.isReadable(descriptor, within: time) { return true }
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
