// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesTestSupport
import Glibc
import Synchronization
import Testing

@testable import EavesSystem

@Suite("Threads and their lock", .onOwnThreads)
struct ThreadTests {
    @Test("a function that blocks runs on a thread of its own, and its result comes back")
    func result() async throws {
        let ends = try #require(Pipe())
        defer { ends.close() }
        async let byte = DetachedThread.result { Pipe.read(ends.readEnd, count: 1) }
        var sent: UInt8 = 7
        #expect(write(ends.writeEnd, &sent, 1) == 1)
        #expect(try await byte == [7])
        await #expect(throws: SystemError.self) {
            try await DetachedThread.result { throw SystemError(.open, "nothing", .noSuchFile) }
        }
    }

    /// Sees whether two threads are in one place.
    private final class Witness: Sendable {
        private let isInside = Atomic(false)
        private let met = Atomic(false)

        var wasDisturbed: Bool { met.load(ordering: .relaxed) }

        func enter() {
            if isInside.exchange(true, ordering: .relaxed) { met.store(true, ordering: .relaxed) }
        }

        func leave() { isInside.store(false, ordering: .relaxed) }
    }

    @Test("a thread that holds a recursive lock may take it again, and no other one meanwhile")
    func recursion() async throws {
        let lock = RecursiveLock()
        let witness = Witness()
        try await withThrowingTaskGroup { group in
            for _ in 0..<4 {
                group.addTask {
                    try await DetachedThread.result {
                        for _ in 0..<500 {
                            lock.withLock {
                                lock.withLock {
                                    witness.enter()
                                }
                                witness.leave()
                            }
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(!witness.wasDisturbed)
    }
}
