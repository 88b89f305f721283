// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesSystem
import EavesTestSupport
import Glibc
import Testing

@Suite struct FileLockTests {
    private func isFree(_ path: String) throws -> Bool {
        try OpenFile(reading: path).lockAlone()
    }

    @Test("has one holder at a time, and is free when the holder has gone")
    func exclusive() throws {
        let folder = try TemporaryFolder()
        try FileLock(folder.path).hold { () throws in
            #expect(try !isFree(folder.path))
        }
        #expect(try isFree(folder.path))
    }

    @Test("of an open folder is the lock of its path")
    func openFolder() throws {
        let scratch = try TemporaryFolder()
        try FileLock(OpenFolder(scratch.path)).hold { () throws in
            #expect(try !isFree(scratch.path))
        }
        #expect(try isFree(scratch.path))
    }
}
