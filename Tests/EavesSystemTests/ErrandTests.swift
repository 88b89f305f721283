// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesSystem
import Glibc
import Synchronization
import Testing

@Suite("An errand")
struct ErrandTests {
    @Test(
        "is done once, on another thread, and lets go of what it was given",
        .enabled(if: sysconf(Int32(_SC_NPROCESSORS_ONLN)) > 1))
    func isDone() async {
        let here = pthread_self()
        weak var given: Given?
        await withCheckedContinuation { continuation in
            let mine = Given()
            given = mine
            Errand.begin {
                mine.note()
                #expect(pthread_equal(here, pthread_self()) == 0)
                continuation.resume()
            }
        }
        // The thread may still be about to let go.
        while let rest = given {
            #expect(rest.count == 1)
            sched_yield()
        }
    }

    /// Counts how often it was used.
    private final class Given: Sendable {
        private let uses = Atomic(0)
        var count: Int { uses.load(ordering: .relaxed) }

        func note() { uses.add(1, ordering: .relaxed) }
    }
}
