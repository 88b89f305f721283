// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesSystem
import Testing

@Suite("The stamp of a file")
struct FileStampTests {
    @Test(
        "is size, device, inode and both times in base 36",
        arguments: [0, 1, 35, 36, 1_763_741_471_123_456_789, .max, -1] as [Int64])
    func text(number: Int64) {
        let status = FileStatus(
            kind: .file, device: UInt64(bitPattern: number), inode: 36, size: 35,
            modified: number, changed: 1, owner: 0, group: 0, mode: 0o600)
        let long = String(UInt64(bitPattern: number), radix: 36)
        #expect(status.stamp == "z-\(long)-10-\(long)-1")
    }
}
