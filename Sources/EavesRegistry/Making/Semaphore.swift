// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import Glibc

// SAFETY: `sem_t` is made for several threads. Whoever waits or signals holds the object, so that
// the memory is there as long as the C library uses it.
/// What a thread waits at until another one wakes it.
///
/// The C library's: Dispatch's own is in a library that every host would load for it.
final class Semaphore: @unchecked Sendable {
    private let semaphore = UnsafeMutablePointer<sem_t>.allocate(capacity: 1)

    init() {
        let isMade = sem_init(semaphore, 0, 0) == 0
        precondition(isMade, "a semaphore between threads takes nothing from the system")
    }

    deinit {
        sem_destroy(semaphore)
        semaphore.deallocate()
    }

    /// Blocks the thread until there was a ``signal()`` for it.
    func wait() {
        while sem_wait(semaphore) != 0 {
            // A signal's handler has run meanwhile.
            precondition(errno == EINTR, "an initialised semaphore can be waited at")
        }
    }

    /// Lets one ``wait()`` return, now or later.
    func signal() {
        let isCounted = sem_post(semaphore) == 0
        precondition(isCounted, "nobody signals two thousand million times")
    }
}
