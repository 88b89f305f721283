// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesDiagnostics
import EavesProcess
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

@Suite("A lock that is waited for with a limit", .onOwnThreads)
struct LockHolderTests {
    private func isFree(_ path: String, within limit: Duration) throws -> Bool {
        switch try FileLock(path, within: limit) {
        case .some: true
        case .none: false
        }
    }

    @Test("is given up when the limit is over, and its holder can be named")
    func limited() throws {
        let scratch = try TemporaryFolder()
        #expect(LockHolder(of: scratch.path) == nil)
        try FileLock(OpenFolder(scratch.path)).hold { () throws in
            #expect(try !isFree(scratch.path, within: .zero))
            #expect(try !isFree(scratch.path, within: .milliseconds(5)))
            let holder = try #require(LockHolder(of: scratch.path))
            #expect(holder.process == Int(getpid()))
            #expect(!holder.command.isEmpty)
        }
        // A child that another test starts at this instant has the lock until it runs its program.
        #expect(try isFree(scratch.path, within: Patience.limit))
        #expect(LockHolder(of: scratch.path) == nil)
        withExtendedLifetime(scratch) {}
    }

    @Test("is taken as soon as its holder lets it go")
    func waiting() throws {
        let scratch = try TemporaryFolder()
        let path = scratch.path
        // A child holds the lock until its standard input ends.
        let pipe = try #require(Pipe())
        let ready = try #require(Pipe())
        let script = "exec 9< \"$0\"; flock 9 2>/dev/null || exit 1; echo held; read -r line"
        let child = try ChildCommand("/bin/sh", ["-c", script, path]).spawn([
            .descriptor(pipe.readEnd), .descriptor(ready.writeEnd),
        ])
        close(pipe.readEnd)
        close(ready.writeEnd)
        let said = Pipe.read(ready.readEnd, count: 16) ?? []
        close(ready.readEnd)
        defer {
            var status: Int32 = 0
            waitpid(child, &status, 0)
        }
        guard !said.isEmpty else {
            close(pipe.writeEnd)
            try Test.cancel("needs the command 'flock'")
        }
        #expect(try !isFree(path, within: .zero))
        close(pipe.writeEnd)
        #expect(try isFree(path, within: Patience.limit))
        withExtendedLifetime(scratch) {}
    }
}
