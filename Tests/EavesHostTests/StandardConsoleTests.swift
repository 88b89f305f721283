// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesInterface
import EavesSystem
import EavesTestSupport
import Glibc
import Testing

@testable import EavesHost

@Suite("The console of a process whose output is a pipe", .promptly, .patiently)
struct StandardConsoleTests {
    /// Runs in a process of its own, because the standard output belongs to the whole process.
    @Test("writes what nobody flushes when no more has come for a moment, again and again")
    func idle() async {
        await #expect(processExitsWith: .success) {
            let pipe = try #require(Pipe())
            dup2(pipe.writeEnd, STDOUT_FILENO)
            let console = StandardConsole()
            // The first few texts are written when they come.
            for round in 0..<12 {
                try console.write("round ")
                try console.print("\(round)")
                var text = ""
                while !text.hasSuffix("\n") {
                    try #require(Pipe.isReadable(pipe.readEnd, within: Patience.milliseconds))
                    var bytes = [UInt8](repeating: 0, count: 100)
                    let count = read(pipe.readEnd, &bytes, bytes.count)
                    text += String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
                }
                try #require(text == "round \(round)\n")
            }
        }
    }

    @Test("keeps the order in which a feature prints, and loses nothing when that calls exit")
    func exitCall() async {
        let result = await #expect(
            processExitsWith: .exitCode(3), observing: [\.standardOutputContent]
        ) {
            print("one")
            try StandardConsole().print("two")
            print("three")
            try StandardConsole.standard.write("four")
            exit(3)
        }
        let printed = String(decoding: result?.standardOutputContent ?? [], as: UTF8.self)
        #expect(printed.hasSuffix("one\ntwo\nthree\nfour"), "\(printed)")
    }

    @Test("writes all that was printed before a signal ends the process of a program")
    func signalled() async {
        let result = await #expect(
            processExitsWith: .signal(SIGTERM), observing: [\.standardOutputContent]
        ) {
            let folder = try TemporaryFolder()
            let manifest = try folder.write(#"{ "manifest": 1 }"#, to: "manifest.json")
            let host = try Host(manifest: manifest)
            try host.stopOnSignals()
            print("by print", terminator: "")
            kill(getpid(), SIGTERM)
            withExtendedLifetime(host) { while true { pause() } }
        }
        let printed = String(decoding: result?.standardOutputContent ?? [], as: UTF8.self)
        #expect(printed.hasSuffix("by print"), "\(printed)")
    }

    /// Runs in a process of its own, as the test before.
    @Test("writes after a while what comes without a pause")
    func trickle() async {
        await #expect(processExitsWith: .success) {
            let pipe = try #require(Pipe())
            dup2(pipe.writeEnd, STDOUT_FILENO)
            let console = StandardConsole()
            for _ in 0..<8 { try console.write(".") }
            var first = [UInt8](repeating: 0, count: 9)
            var count = read(pipe.readEnd, &first, 9)
            try #require(count == 8)
            while !Pipe.isReadable(pipe.readEnd, within: 0) {
                // It is not full before.
                try #require(count < 16_000)
                try console.write(".")
                count += 1
                Patience.letPass(.milliseconds(1))
            }
        }
    }

    @Test("writes lines as they were read, also if they are not UTF-8")
    func bytes() async {
        await #expect(processExitsWith: .success) {
            let (given, pipe) = (try #require(Pipe()), try #require(Pipe()))
            dup2(given.readEnd, STDIN_FILENO)
            dup2(pipe.writeEnd, STDOUT_FILENO)
            let bytes: [UInt8] = [0x78, 0xe9, 0x0a, 0xf4, 0x8f, 0xbf, 0xbf, 0x0a]
            let count = write(given.writeEnd, bytes, bytes.count)
            try #require(count == bytes.count)
            let console = StandardConsole()
            for _ in 0..<2 { try console.print(try #require(try console.readLine())) }
            try console.flush()
            var written = [UInt8](repeating: 0, count: 8)
            let taken = read(pipe.readEnd, &written, 8)
            try #require(taken == 8 && written == bytes)
        }
    }

    @Test("tells the next call that the reader is gone")
    func brokenPipe() async {
        await #expect(processExitsWith: .success) {
            signal(SIGPIPE, SIG_IGN)
            let pipe = try #require(Pipe())
            dup2(pipe.writeEnd, STDOUT_FILENO)
            close(pipe.readEnd)
            let console = StandardConsole()
            try Patience.wait(for: "the error") {
                do throws(ConsoleError) {
                    try console.print("for nobody")
                    return false
                } catch {
                    return error == ConsoleError("cannot write standard output: Broken pipe")
                }
            }
            try console.flush()
        }
    }
}
