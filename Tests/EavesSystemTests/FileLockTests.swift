// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesDiagnostics
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
        let scratch = try TemporaryFolder()
        try FileLock(OpenFolder(scratch.path)).hold { () throws in
            #expect(try !isFree(scratch.path))
        }
        // A child that another test starts at this instant has the lock until it runs its program.
        try Patience.wait(for: "a free lock") { try isFree(scratch.path) }
    }

    @Test("that another process keeps is an error after a while, which names the process")
    func taken() throws {
        let scratch = try TemporaryFolder()
        let error = try FileLock(OpenFolder(scratch.path)).hold { () throws in
            #expect(throws: SystemError.self) {
                try FileLock(OpenFolder(scratch.path), within: .milliseconds(5)).hold {}
            }
        }
        let diagnostic = try #require(error?.diagnostics.first)
        #expect(diagnostic.message.hasPrefix("cannot lock \(scratch.path): process \(getpid()) ("))
        #expect(diagnostic.fix?.hasPrefix("wait until process \(getpid()) has ended") == true)
    }
}
