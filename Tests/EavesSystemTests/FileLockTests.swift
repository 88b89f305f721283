// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesSystem
import EavesTestSupport
import Glibc
import Testing

@Suite struct FileLockTests {
    private func isFree(_ path: String) throws -> Bool {
        switch try FileLock(ifFree: path) {
        case .some: true
        case .none: false
        }
    }

    @Test("has one holder at a time, and is free when the holder has gone")
    func exclusive() throws {
        let folder = try TemporaryFolder()
        try FileLock(folder.path).hold { () throws in
            #expect(try !isFree(folder.path))
        }
        #expect(try isFree(folder.path))
    }

    @Test("is not free for a second holder that does not wait")
    func withoutWaiting() throws {
        let scratch = try TemporaryFolder()
        let first = try FileLock(ifFree: scratch.path)
        switch consume first {
        case .some(let lock):
            try lock.hold { () throws in
                #expect(try !isFree(scratch.path))
            }
        case .none: Issue.record("nobody holds it")
        }
        #expect(try isFree(scratch.path))
    }
}
