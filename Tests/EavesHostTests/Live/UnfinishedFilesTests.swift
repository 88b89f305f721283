// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesSystem
import EavesTestSupport
import Testing

@testable import EavesHost

@Suite("The patience with unfinished files", .onOwnThreads)
struct UnfinishedFilesTests {
    private let start = ContinuousClock.now
    private let limit = Duration.seconds(1)
    private var files = UnfinishedFiles()

    /// Whether a look would wait for a file that has this size now.
    private mutating func waits(
        for module: String, _ size: Int64, at now: ContinuousClock.Instant
    ) -> Bool {
        let file = FileIdentity(device: 1, inode: 1, size: size, modified: size, changed: size)
        return files.isWorthWaiting(for: module, file, within: limit, at: now)
    }

    @Test("ends when a file has stayed the same for the limit")
    mutating func same() {
        #expect(files.isEmpty)
        #expect(waits(for: "users", 1, at: start) == true)
        let last = start + limit - .nanoseconds(1)
        #expect(waits(for: "users", 1, at: last) == true)
        #expect(waits(for: "users", 1, at: start + limit) == false)
        #expect(!files.isEmpty)
    }

    @Test("begins anew with each piece of a file that grows, however long that takes")
    mutating func growing() {
        for second in 0..<20 {
            let size = Int64(second + 1)
            #expect(
                waits(for: "users", size, at: start + limit * second))
        }
        #expect(waits(for: "users", 20, at: start + limit * 20) == false)
    }

    @Test("is separate for each module, and begins anew once a file was whole or refused")
    mutating func separate() {
        #expect(waits(for: "users", 1, at: start) == true)
        #expect(waits(for: "events", 1, at: start + limit) == true)
        #expect(waits(for: "users", 1, at: start + limit) == false)
        files.forget("users")
        #expect(waits(for: "users", 1, at: start + limit) == true)
        files.forget("users")
        files.forget("events")
        #expect(files.isEmpty)
    }
}
