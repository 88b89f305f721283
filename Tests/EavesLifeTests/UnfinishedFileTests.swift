// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesSystem
import Testing

@testable import EavesLife

@Suite("The patience with an unfinished file")
struct UnfinishedFileTests {
    private let start = ContinuousClock.now
    private let limit = Duration.seconds(1)
    private var running = Running()

    /// Whether a look would wait for a file that has this size now.
    private mutating func waits(
        for module: String = "users", _ size: Int64, at now: ContinuousClock.Instant
    ) -> Bool {
        let file = FileIdentity(device: 1, inode: 1, size: size, modified: size, changed: size)
        return running[module: module].isWorthWaiting(for: file, within: limit, at: now)
    }

    @Test("ends when the file has stayed the same for the limit")
    mutating func same() {
        #expect(!running.hasUnfinished)
        #expect(waits(1, at: start) == true)
        let last = start + limit - .nanoseconds(1)
        #expect(waits(1, at: last) == true)
        #expect(waits(1, at: start + limit) == false)
        #expect(running.hasUnfinished)
    }

    @Test("begins anew with each piece of a file that grows, however long that takes")
    mutating func growing() {
        for second in 0..<20 {
            #expect(waits(Int64(second + 1), at: start + limit * second))
        }
        #expect(waits(20, at: start + limit * 20) == false)
    }

    @Test("is separate for each module, and begins anew once a file was whole or refused")
    mutating func separate() {
        #expect(waits(1, at: start) == true)
        #expect(waits(for: "events", 1, at: start + limit) == true)
        #expect(waits(1, at: start + limit) == false)
        running[module: "users"].unfinished = nil
        #expect(waits(1, at: start + limit) == true)
        running[module: "users"].unfinished = nil
        running[module: "events"].unfinished = nil
        #expect(!running.hasUnfinished)
        // The host knows nothing of the modules any more.
        #expect(running.modules.isEmpty)
    }
}
