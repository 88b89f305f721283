// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesChild
import EavesDiagnostics
import EavesProcess
import EavesSystem
import EavesTestSupport
import Glibc
import Testing

@Suite(.promptly, .patiently) struct ChildProcessTests {
    private func shell(_ script: String) -> ChildCommand {
        ChildCommand("sh", ["-c", script])
    }

    private func text(_ report: ChildReport) -> String {
        String(decoding: report.output, as: UTF8.self)
    }

    @Test("collects output and errors in the order of writing")
    func combined() throws {
        let report = try ChildPool.run(shell("echo one; echo two >&2; echo three"))
        #expect(text(report) == "one\ntwo\nthree\n")
        #expect(report.ending == .exited(0))
        #expect(report.ending.isSuccess)
    }

    @Test(
        "tells how a child ended",
        arguments: [
            ("exit 0", ChildEnding.exited(0)),
            ("exit 7", .exited(7)),
            ("exit 255", .exited(255)),
            ("kill -SEGV $$", .signalled(SIGSEGV)),
            ("kill -KILL $$", .signalled(SIGKILL)),
        ])
    func endings(script: String, expected: ChildEnding) throws {
        #expect(try ChildPool.run(shell(script)).ending == expected)
    }

    @Test("has an end that is unknown if other code has taken its status")
    func takenStatus() throws {
        let child = try ChildProcess(shell("exit 3"), [.empty, .empty, .empty])
        #expect(waitpid(child.identifier, nil, 0) == child.identifier)
        #expect(child.wait() == .unknown)
        #expect(child.ending?.isSuccess == false)
    }

    @Test("a pipe without a reader fails by a handler, which programs do not inherit")
    func brokenPipe() async {
        await #expect(processExitsWith: .success) {
            SignalHandler.letBrokenPipesFail()
            guard case .handled? = SignalHandler.present(SIGPIPE), let pipe = Pipe() else {
                exit(1)
            }
            close(pipe.readEnd)
            exit(write(pipe.writeEnd, "x", 1) == -1 && errno == EPIPE ? 0 : 2)
        }
        await #expect(processExitsWith: .success) {
            signal(SIGPIPE, SIG_IGN)
            SignalHandler.letBrokenPipesFail()
            guard case .ignored? = SignalHandler.present(SIGPIPE) else { exit(1) }
        }
    }

    @Test("names a signal in words")
    func words() {
        #expect(ChildEnding.signalled(SIGSEGV).description == "signal 11 (Segmentation fault)")
        #expect(ChildEnding.exited(3).description == "exit code 3")
    }

    @Test("a missing program is an error with its name")
    func notFound() {
        let expected = SystemError(.run, "/no/such/program", .noSuchFile)
        #expect(throws: expected) { try ChildPool.run(ChildCommand("/no/such/program")) }
    }

    @Test("passes arguments unchanged: no shell interprets them")
    func arguments() throws {
        let odd = ["a b", "$HOME", "*", "", "`id`", "\"'", "ä\n"]
        let report = try ChildPool.run(
            ChildCommand("sh", ["-c", "for a in \"$@\"; do printf '[%s]' \"$a\"; done", "x"] + odd))
        #expect(text(report) == odd.map { "[\($0)]" }.joined())
    }

    @Test("a child gets the bytes of arguments and variables that are not UTF-8")
    func bytes() throws {
        let odd = String(keeping: [0x78, 0xe9])
        let report = try ChildPool.run(
            ChildCommand(
                "/bin/sh", ["-c", "printf %s \"$1$ODD\" | od -An -tx1", "x", odd],
                environment: Environment(["ODD=" + odd])))
        #expect(text(report) == " 78 e9 78 e9\n")
    }

    @Test("a child gets the environment of its command, and no more")
    func environment() throws {
        var environment = Environment(["ONLY=this=one"])
        environment["MORE"] = "1"
        environment["GONE"] = "1"
        environment["GONE"] = nil
        let report = try ChildPool.run(
            ChildCommand("/usr/bin/env", environment: environment))
        #expect(text(report) == "ONLY=this=one\nMORE=1\n")
        #expect(environment["ONLY"] == "this=one")
        #expect(environment["GONE"] == nil)
    }

    @Test("a child has an empty input and none of our descriptors")
    func descriptors() throws {
        // Neither as we open descriptors, nor as a module may have opened some.
        let held = try OpenFile(reading: "/dev/null")
        let careless = dup(held.descriptor)
        defer { close(careless) }
        let report = try ChildPool.run(shell("cat; ls /proc/$$/fd"))
        #expect(text(report).split(separator: "\n") == ["0", "1", "2"])
    }

    /// Runs in a process of its own, because an ignored signal is ignored in the whole process.
    @Test("no signal is blocked or ignored in a child, also none that we block or ignore")
    func signals() async {
        await #expect(processExitsWith: .success) {
            signal(SIGUSR1, SIG_IGN)
            var blocked = sigset_t()
            sigemptyset(&blocked)
            sigaddset(&blocked, SIGUSR2)
            pthread_sigmask(SIG_BLOCK, &blocked, nil)
            // A guardian resets the signals itself; a child that may ask has none.
            for mayAsk in [false, true] {
                var command = ChildCommand("grep", ["-E", "Sig(Blk|Ign)", "/proc/self/status"])
                command.mayAsk = mayAsk
                let report = try ChildPool.run(command)
                let masks = String(decoding: report.output, as: UTF8.self).split(separator: "\n")
                    .compactMap { UInt64($0.suffix(16), radix: 16) }
                // The C library uses 32 and 33 itself, and ignores them in every child.
                #expect(masks.map { $0 & 0x7fff_ffff } == [0, 0])
            }
        }
    }

    /// Runs in a process of its own, because other tests open and close thousands of descriptors.
    @Test("leaves no descriptor open and no child behind")
    func leaks() async {
        await #expect(processExitsWith: .success) {
            let before = try Folder("/proc/self/fd").entries.count
            for _ in 0..<20 { _ = try ChildPool.run(ChildCommand("sh", ["-c", "echo x"])) }
            #expect(throws: (any Error).self) {
                try ChildPool.run(ChildCommand("/no/such/program"))
            }
            #expect(try Folder("/proc/self/fd").entries.count < before + 5)
        }
    }

    @Test("a child reads its input, and nothing else")
    func input() throws {
        let scratch = try TemporaryFolder()
        try Files.replace(scratch.file("file"), with: Array("given".utf8))
        let file = try OpenFile(reading: scratch.file("file"))
        for mayAsk in [false, true] {
            #expect(lseek(file.descriptor, 0, SEEK_SET) == 0)
            var command = ChildCommand("cat")
            command.mayAsk = mayAsk
            #expect(try ChildPool.run(command).output == [])
            command.input = file.descriptor
            #expect(try ChildPool.run(command).output == Array("given".utf8))
        }
    }

    @Test("a child that may ask the person at the terminal stays in our process group")
    func group() throws {
        for (mayAsk, isOurs) in [(true, true), (false, false)] {
            var command = ChildCommand("sh", ["-c", "cut -d ' ' -f 5 /proc/$$/stat"])
            command.mayAsk = mayAsk
            let group = String(
                decoding: try ChildPool.run(command).output.dropLast(), as: UTF8.self)
            #expect((group == String(getpgrp())) == isOurs)
        }
    }

    @Test("a child starts in the folder that its command names")
    func folder() throws {
        let scratch = try TemporaryFolder()
        var command = ChildCommand("pwd")
        command.folder = scratch.path
        #expect(text(try ChildPool.run(command)) == scratch.path + "\n")
    }

    @Test("a child gets a descriptor for each of its streams")
    func streams() throws {
        let scratch = try TemporaryFolder()
        let input = try OpenFile(reading: scratch.write("given", to: "input"))
        let pipes = [try #require(Pipe()), try #require(Pipe()), try #require(Pipe())]
        let child = try ChildProcess(
            shell("cat; echo result >&3; echo error >&2"),
            [.descriptor(input.descriptor)] + pipes.map { .descriptor($0.writeEnd) })
        for pipe in pipes { close(pipe.writeEnd) }
        #expect(child.wait() == .exited(0))
        for (pipe, text) in zip(pipes, ["given", "error\n", "result\n"]) {
            #expect(Pipe.read(pipe.readEnd, count: 100) == Array(text.utf8))
            #expect(Pipe.read(pipe.readEnd, count: 100) == [])
            close(pipe.readEnd)
        }
    }

    /// All processes hold the pipe open, so its end tells that they are gone.
    @Test("kills a child that is let go while it runs, with all that it has started")
    func letGo() throws {
        let pipe = try #require(Pipe())
        defer { close(pipe.readEnd) }
        var child: ChildProcess? = try ChildProcess(
            shell("sleep 600 & echo started; wait"), [.empty, .descriptor(pipe.writeEnd)])
        close(pipe.writeEnd)
        #expect(Pipe.read(pipe.readEnd, count: 100) == Array("started\n".utf8))
        #expect(child?.ending == nil)
        child = nil
        #expect(Pipe.isReadable(pipe.readEnd, within: Patience.milliseconds))
        #expect(Pipe.read(pipe.readEnd, count: 100) == [])
    }

    /// A driver gives each compiler a group of its own, and a compiler may ignore `SIGTERM`.
    private static let stubborn =
        "setsid sh -c 'trap \"\" TERM INT HUP; echo started; exec sleep 600' & wait"

    @Test("ends all that a tool has started, in whatever group, when the tool is let go")
    func keptToolLetGo() throws {
        let pipe = try #require(Pipe())
        defer { close(pipe.readEnd) }
        let script = Self.stubborn.replacing("echo started", with: "echo $$")
        var tool: ChildProcess? = try ChildProcess(
            guarding: shell(script), [.empty, .descriptor(pipe.writeEnd)])
        close(pipe.writeEnd)
        let number = Pipe.read(pipe.readEnd, count: 100) ?? []
        let started = try #require(Int32(String(decoding: number.dropLast(), as: UTF8.self)))
        #expect(tool?.ending == nil)
        tool = nil
        // It was waited for. The end of the pipe would come later: processes that other tests start have it for a moment.
        #expect(kill(started, 0) == -1)
        #expect(errno == ESRCH)
    }

    @Test("a tool that is asked to end is asked with SIGTERM, and waited for")
    func keptToolAsked() throws {
        let pipe = try #require(Pipe())
        defer { close(pipe.readEnd) }
        let script = "trap 'echo asked; exit 3' TERM; echo started; while :; do sleep 0.01; done"
        let tool = try ChildProcess(
            guarding: shell(script), [.empty, .descriptor(pipe.writeEnd)])
        close(pipe.writeEnd)
        #expect(Pipe.read(pipe.readEnd, count: 100) == Array("started\n".utf8))
        tool.signal(SIGINT)
        #expect(tool.wait() == .exited(3))
        #expect(Pipe.read(pipe.readEnd, count: 100) == Array("asked\n".utf8))
    }

    /// The status of the guardian itself is taken away here.
    @Test("tells how a tool ended, also if other code has taken the status")
    func keptToolReaped() throws {
        let tool = try ChildProcess(guarding: shell("exit 3"), [.empty])
        var status: Int32 = 0
        #expect(waitpid(tool.identifier, &status, 0) == tool.identifier)
        #expect(status == 0)
        #expect(tool.wait() == .exited(3))
    }

    @Test("a guardian has none of our descriptors, and its memory is ours")
    func keptToolShares() throws {
        let pipe = try #require(Pipe())
        let tool = try ChildProcess(guarding: shell("read word"), [.descriptor(pipe.readEnd)])
        close(pipe.readEnd)
        let guardian = "/proc/\(tool.identifier)"
        // The end of its lifeline, and the signals that it takes.
        try Patience.wait(for: "the signals that the guardian takes") {
            try Folder("\(guardian)/fd").entries.count == 2
        }
        // What is mapped here after the start is there, too.
        let size = 1 << 20
        let pages = mmap(nil, size, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)!
        defer { munmap(pages, size) }
        let address = UInt(bitPattern: pages)
        let maps = try OpenFile(reading: "\(guardian)/maps").bytes(at: 0, count: 1 << 20)
        let ranges = String(decoding: maps, as: UTF8.self).split(separator: "\n").map { line in
            line.prefix { $0 != " " }.split(separator: "-").compactMap { UInt($0, radix: 16) }
        }
        #expect(ranges.contains { $0[0] <= address && address < $0[1] })
        close(pipe.writeEnd)
        #expect(tool.wait() == .exited(1))
    }

    /// Runs in a process of its own, because `PATH` belongs to the whole process.
    @Test("finds a tool in PATH as execvp does")
    func keptToolSearched() async throws {
        let scratch = try TemporaryFolder()
        try Files.createFolder(scratch.file("first"))
        try Files.createFolder(scratch.file("second"))
        try scratch.write("no program", to: "first/tool-of-test")
        try scratch.write("no program", to: "first/locked-of-test")
        _ = try scratch.writeProgram("#!/bin/sh\necho second\n", to: "second/tool-of-test")
        await #expect(processExitsWith: .success) { [folder = scratch.path as String] in
            let names = ["none", "first/tool-of-test", "first", "second"]
            setenv("PATH", names.map { "\(folder)/\($0)" }.joined(separator: ":"), 1)
            let tool = ChildCommand("tool-of-test")
            let found = try ChildPool.run(tool)
            #expect(found.output == Array("second\n".utf8))
            let reasons = [("locked-of-test", Errno.permissionDenied), ("missing", .noSuchFile)]
            for (name, reason) in reasons {
                let error = #expect(throws: SystemError.self) {
                    try ChildPool.run(ChildCommand(name))
                }
                #expect(error == SystemError(.run, name, reason))
            }
            // An empty folder is the one that the tool starts in.
            setenv("PATH", ":/none", 1)
            var near = tool
            near.folder = "\(folder)/second"
            let foundNear = try ChildPool.run(near)
            #expect(foundNear.output == Array("second\n".utf8))
        }
    }

    @Test("what a tool has started ends with a tool that a signal has ended")
    func keptToolCrashes() throws {
        let pipe = try #require(Pipe())
        defer { close(pipe.readEnd) }
        let script = "setsid sh -c 'echo $$; kill -SEGV $0; exec sleep 600' $$ & wait"
        let tool = try ChildProcess(
            guarding: shell(script), [.empty, .descriptor(pipe.writeEnd)])
        close(pipe.writeEnd)
        #expect(tool.wait() == .signalled(SIGSEGV))
        let number = Pipe.read(pipe.readEnd, count: 100) ?? []
        let left = try #require(Int32(String(decoding: number.dropLast(), as: UTF8.self)))
        // The end of the pipe would come later: processes that other tests start have it for a moment, too.
        #expect(kill(left, 0) == -1)
        #expect(errno == ESRCH)
    }

    /// Runs in a process of its own, which is killed.
    @Test("ends all that a tool has started when this process is killed")
    func keptToolOfKilled() async throws {
        let scratch = try TemporaryFolder()
        let path = scratch.file("pipe")
        #expect(mkfifo(path, 0o600) == 0)
        // It is open for writing, too, so that opening it does not wait.
        let ends = open(path, O_RDWR | O_CLOEXEC)
        await #expect(processExitsWith: .signal(SIGKILL)) {
            [path = path as String, script = Self.stubborn as String] in
            let output = open(path, O_WRONLY | O_CLOEXEC)
            let tool = try ChildProcess(
                guarding: ChildCommand("sh", ["-c", "\(script)"]), [.empty, .descriptor(output)])
            var started = pollfd(fd: open(path, O_RDONLY), events: Int16(POLLIN), revents: 0)
            #expect(poll(&started, 1, Patience.milliseconds) == 1)
            withExtendedLifetime(tool) { _ = kill(getpid(), SIGKILL) }
        }
        #expect(Pipe.read(ends, count: 100) == Array("started\n".utf8))
        let read = open(path, O_RDONLY | O_CLOEXEC)
        close(ends)
        defer { close(read) }
        #expect(Pipe.isReadable(read, within: Patience.milliseconds))
        #expect(Pipe.read(read, count: 100) == [])
    }

    @Test("stops waiting for a child at the deadline")
    func deadline() throws {
        let pipe = try #require(Pipe())
        let child = try ChildProcess(ChildCommand("cat"), [.descriptor(pipe.readEnd)])
        close(pipe.readEnd)
        #expect(child.wait(until: .now + .milliseconds(20)) == nil)
        close(pipe.writeEnd)
        #expect(child.wait(until: Patience.end) == .exited(0))
        #expect(child.ending == .exited(0))
    }
}
