// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import Glibc

// SAFETY: `sem_t` is made for several threads. Each thread that waits or signals holds the object, so
// the memory lasts as long as the C library uses it.
/// Blocks a thread until another one wakes it.
///
/// The C library's semaphore is used because Dispatch's is in a library that every host would load for
/// it.
final class Semaphore: @unchecked Sendable {
    private let semaphore = UnsafeMutablePointer<sem_t>.allocate(capacity: 1)

    init() {
        let isInitialised = sem_init(semaphore, 0, 0) == 0
        precondition(isInitialised, "a semaphore within a process takes nothing from the system")
    }

    deinit {
        sem_destroy(semaphore)
        semaphore.deallocate()
    }

    /// Blocks the thread until there was a ``signal()`` for it.
    func wait() {
        while sem_wait(semaphore) != 0 {
            // A signal handler has run meanwhile.
            precondition(
                errno == EINTR, "waiting at an initialised semaphore fails for nothing else")
        }
    }

    /// Blocks the thread until there was a ``signal()`` for it, or for a time. If somebody sets the clock
    /// meanwhile, for another time.
    ///
    /// - Returns: Whether there was one.
    func wait(for time: Duration) -> Bool {
        var end = timespec()
        clock_gettime(CLOCK_REALTIME, &end)
        let (seconds, attoseconds) = time.components
        let nanoseconds = Int(end.tv_nsec) + Int(attoseconds / 1_000_000_000)
        end.tv_sec += Int(seconds) + nanoseconds / 1_000_000_000
        end.tv_nsec = nanoseconds % 1_000_000_000
        while sem_timedwait(semaphore, &end) != 0 {
            if errno == ETIMEDOUT { return false }
            // A signal handler has run meanwhile.
            precondition(
                errno == EINTR, "waiting at an initialised semaphore fails for nothing else")
        }
        return true
    }

    /// Lets one ``wait()`` return, now or later.
    func signal() {
        let isCounted = sem_post(semaphore) == 0
        precondition(isCounted, "a semaphore is signalled once for each thread that waits")
    }
}
