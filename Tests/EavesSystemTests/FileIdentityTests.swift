// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesSystem
import EavesTestSupport
import Testing

@Suite("The identity of a file", .onOwnThreads)
struct FileIdentityTests {
    @Test(
        "is written as size, device, inode and both times in base 36",
        arguments: [0, 1, 35, 36, 1_763_741_471_123_456_789, .max, -1] as [Int64])
    func text(number: Int64) {
        let status = FileStatus(
            kind: .file, device: UInt64(bitPattern: number), inode: 36, size: 35,
            modified: number, changed: 1, owner: 0, group: 0, mode: 0o600)
        let long = String(UInt64(bitPattern: number), radix: 36)
        #expect(FileIdentity(status).text == "z-\(long)-10-\(long)-1")
    }

    @Test("settles only when both times are more than a tick old")
    func settles() {
        let second: Int64 = 1_000_000_000
        func isSettled(modified: Int64, changed: Int64, now: Int64) -> Bool {
            FileIdentity(device: 1, inode: 2, size: 3, modified: modified, changed: changed)
                .isSettled(at: now)
        }
        let (fine, coarse) = (second + 5, second)
        #expect(isSettled(modified: fine, changed: fine, now: fine + 20_000_001))
        #expect(!isSettled(modified: fine, changed: fine, now: fine + 20_000_000))
        #expect(!isSettled(modified: coarse, changed: fine, now: fine + 20_000_001))
        #expect(!isSettled(modified: fine, changed: coarse, now: fine + 20_000_001))
        #expect(isSettled(modified: coarse, changed: coarse, now: coarse + 2 * second + 1))
        #expect(!isSettled(modified: coarse, changed: coarse, now: coarse + 2 * second))
    }
}
