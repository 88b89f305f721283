// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesSystem
import EavesTestSupport
import Glibc
import Testing

@testable import EavesChild
@testable import EavesProcess

@Suite("A supervised process", .onOwnThreads, .patiently)
struct SupervisedProcessTests {
    /// The combinations that the kernel of this machine may leave us with.
    static let combinations: [SupervisedProcess.Means] = [
        .all, [.landlock, .filter], [.filter], [.landlock], [],
    ]

    /// Those in which a filter of system calls takes part.
    static let filters: [SupervisedProcess.Means] = [
        .all, [.landlock, .filter], [.filter], [.namespace, .filter],
    ]

    private func run(
        _ script: String, _ means: SupervisedProcess.Means = .all,
        limits: SupervisedProcess.Limits = SupervisedProcess.Limits(), ask: [Int32] = []
    ) throws -> (process: SupervisedProcess, output: String) {
        let output = try MemoryFile.open("test")
        let process = try SupervisedProcess(
            ChildCommand("/bin/sh", ["-c", script]), output: output.descriptor,
            channel: output.descriptor, limits: limits, means: means)
        for signal in ask { process.signal(signal) }
        awaitEnd(of: process)
        return (process, String(decoding: try output.bytes(at: 0, count: 64 << 10), as: UTF8.self))
    }

    private func awaitEnd(of process: SupervisedProcess) {
        while !process.hasEnded, Pipe.isReadable(process.reports, within: Patience.milliseconds) {
            process.read()
        }
        #expect(process.hasEnded)
    }

    @Test("tells how the program ended, however it is confined", arguments: combinations)
    func ends(_ means: SupervisedProcess.Means) throws {
        let exit = try run("echo well; exit 7", means)
        #expect(exit.process.ending == SupervisedProcess.Ending(program: .exited(7)))
        #expect(exit.output == "well\n")
        #expect(exit.process.means.isSubset(of: means))
        let signal = try run("kill -SEGV $$", means)
        #expect(signal.process.ending?.program == .signalled(SIGSEGV))
    }

    @Test("says that a program cannot be started")
    func noProgram() throws {
        let null = open("/dev/null", O_RDWR)
        defer { close(null) }
        let process = try SupervisedProcess(
            ChildCommand("/nowhere/program"), output: null, channel: null)
        awaitEnd(of: process)
        #expect(process.startError == .noSuchFile)
    }

    /// The process that is left behind is the only one that holds the pipe open for writing: its
    /// reader sees the end as soon as that process is gone.
    @Test("leaves nothing behind, not even in other sessions", arguments: combinations)
    func leftBehind(_ means: SupervisedProcess.Means) throws {
        let folder = try TemporaryFolder()
        let path = folder.file("pipe")
        #expect(mkfifo(path, 0o600) == 0)
        let reader = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        defer { close(reader) }
        let (process, _) = try run(
            "exec 4>\(path); (setsid sh -c '(echo started >&4; exec sleep 600) &' &) ; read line <\(path)",
            means)
        let left = try #require(process.ending?.leftBehind)
        #expect(left >= 1)
        // Not one process has it open any more.
        var buffer: [UInt8] = [0]
        while Glibc.read(reader, &buffer, 1) > 0 {}
        #expect(Glibc.read(reader, &buffer, 1) == 0)
    }

    @Test(
        "cannot signal the one that supervises it",
        arguments: filters)
    func signalsSupervisor(_ means: SupervisedProcess.Means) throws {
        for signal in ["KILL", "STOP"] {
            let (process, output) = try run("kill -\(signal) $PPID; echo survived", means)
            #expect(process.ending?.program == .signalled(SIGSYS))
            #expect(output == "" && !process.isLost)
        }
    }

    @Test(
        "cannot signal processes outside",
        arguments: [
            .all, [.landlock], [.filter], [.namespace],
        ] as [SupervisedProcess.Means])
    func signalsOthers(_ means: SupervisedProcess.Means) throws {
        let other = try ChildProcess(ChildCommand("/bin/sleep", ["600"]), [.empty])
        defer { other.signal(SIGKILL) }
        let (process, output) = try run("kill -KILL \(other.identifier) || echo refused", means)
        // Every kernel has filters, so only what the others can do alone may stay unknown.
        if process.means.isEmpty, !means.contains(.filter) {
            try Test.cancel("needs a kernel that lets this process confine another one like this")
        }
        #expect(!process.means.isEmpty)
        #expect(process.ending?.program == .exited(0))
        #expect(output.contains("refused"))
        #expect(other.poll(waits: false) == nil)
    }

    @Test(
        "cannot change the limits and the priority of another process, as little as signal it",
        arguments: filters)
    func changesOthers(_ means: SupervisedProcess.Means) throws {
        let other = try ChildProcess(ChildCommand("/bin/sleep", ["600"]), [.empty])
        defer { other.signal(SIGKILL) }
        for target in ["\(other.identifier)", "$PPID"] {
            let changes = [
                "prlimit --pid \(target) --cpu=0:0", "prlimit --pid \(target) --nofile=0:0",
                "renice -n 19 -p \(target)", "renice -n 19 -g 0", "taskset -p 1 \(target)",
                "chrt --batch -p 0 \(target)", "ionice -c 3 -p \(target)",
            ]
            let script = changes.map { "\($0) && echo 'changed by \($0)'" }.joined(separator: "; ")
            let (process, output) = try run("{ \(script); } 2>/dev/null; exit 3", means)
            #expect(process.ending?.program == .exited(3))
            #expect(!output.contains("changed by"), "\(output)")
            #expect(!process.isLost)
        }
        #expect(other.poll(waits: false) == nil)
    }

    @Test(
        "can change its own limits and priority, and ask for those of others",
        arguments: combinations)
    func changesOwn(_ means: SupervisedProcess.Means) throws {
        let script = """
            set -e; ulimit -n 64; renice -n 19 -p $$ >/dev/null; prlimit --pid $$ --core=0; \
            prlimit --pid $PPID --nofile >/dev/null; nice -n 6 ionice -c 3 true; ulimit -n
            """
        let (process, output) = try run(script, means)
        #expect(process.ending?.program == .exited(0))
        #expect(output == "64\n")
    }

    @Test("can signal itself and, with a scope or a namespace, what it has started")
    func signalsOwn() throws {
        let (process, _) = try run("sleep 600 & kill -TERM $!; wait; kill -USR1 $$")
        #expect(process.ending?.program == .signalled(SIGUSR1))
    }

    @Test("gets signals that it is sent")
    func asked() throws {
        let (process, _) = try run("exec sleep 600", ask: [SIGTERM])
        #expect(process.ending?.program == .signalled(SIGTERM))
    }

    @Test("is ended when it starts too many processes", arguments: combinations)
    func bomb(_ means: SupervisedProcess.Means) throws {
        // As many as it takes and not ever more, which would take the processors from the other tests.
        // 'VerifyAttackTests' has the bombs. While one of them has all processes that this user may start, the shell
        // ends, and goes on as another one.
        let script = """
            export START='trap "exec sh -c \\"\\$START\\"" EXIT; trap "" TERM; \
            i=0; while [ $i -lt 80 ]; do sleep 600 & i=$((i + 1)); done; wait'; exec sh -c "$START"
            """
        let (process, _) = try run(
            script, means, limits: SupervisedProcess.Limits(processes: 64))
        #expect(process.ending?.excess == .processes)
    }

    @Test("is ended when all its processes together use too much memory")
    func memory() throws {
        // With a command after it, 'sleep' does not take the place of the shell, which has the memory.
        let fill = "a=$(head -c 20000000 /dev/zero | tr '\\0' a); sleep 600; :"
        let (process, _) = try run(
            "for i in 1 2 3 4 5 6; do (\(fill)) & done; wait",
            limits: SupervisedProcess.Limits(memory: 80 << 20))
        #expect(process.ending?.excess == .memory)
    }

    @Test("is ended when the files without a name that it has in memory use too much of it")
    func memoryFiles() throws {
        let folder = try TemporaryFolder()
        let source = try folder.write(
            """
            #define _GNU_SOURCE
            #include <stdlib.h>
            #include <sys/mman.h>
            #include <unistd.h>
            static char block[1 << 20];
            int main(int count, char **arguments) {
                for (int file = 0; file < 12; ++file) {
                    int memory = memfd_create("m", 0);
                    for (int blocks = 0; blocks < 10; ++blocks) {
                        if (write(memory, block, sizeof block) < 0) return 1;
                    }
                }
                /* The same files in two processes count once. */
                fork();
                sleep(atoi(arguments[1]));
                return 0;
            }
            """, to: "fill.c")
        let program = folder.file("fill")
        try CCompiler.first().run(["-o", program, source])
        let fits = try run(
            "\(program) 1", limits: SupervisedProcess.Limits(memory: 200 << 20))
        #expect(fits.process.ending?.excess == nil)
        let excess = try run(
            "\(program) 600", limits: SupervisedProcess.Limits(memory: 80 << 20))
        #expect(excess.process.ending?.excess == .memory)
    }

    /// The supervisor begins as a copy of its caller, and so would a program that it measured before it is loaded.
    @Test("is not ended for the memory of its caller")
    func largeCaller() throws {
        let size = 300 << 20
        let block = mmap(nil, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
        let memory = try #require(block != MAP_FAILED ? block : nil)
        defer { munmap(memory, size) }
        memset(memory, 1, size)
        let null = open("/dev/null", O_RDWR)
        defer { close(null) }
        for _ in 0..<5 {
            let process = try SupervisedProcess(
                ChildCommand("/bin/sh", ["-c", "exit 7"]), output: null, channel: null,
                limits: SupervisedProcess.Limits(memory: 200 << 20))
            // The program rests while the supervisor measures, wherever the signal meets it.
            process.signal(SIGSTOP)
            Patience.letPass(.milliseconds(60))
            process.signal(SIGCONT)
            awaitEnd(of: process)
            #expect(process.ending == SupervisedProcess.Ending(program: .exited(7)))
        }
    }

    @Test("ends with its owner")
    func owner() throws {
        let folder = try TemporaryFolder()
        let path = folder.file("pipe")
        #expect(mkfifo(path, 0o600) == 0)
        let reader = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        defer { close(reader) }
        let null = open("/dev/null", O_RDWR)
        defer { close(null) }
        var process: SupervisedProcess? = try SupervisedProcess(
            ChildCommand("/bin/sh", ["-c", "exec 4>\(path); echo up >&4; exec sleep 600"]),
            output: null, channel: null)
        #expect(Pipe.isReadable(reader, within: Patience.milliseconds))
        #expect(process?.hasEnded == false)
        process = nil
        var buffer: [UInt8] = [0]
        while Glibc.read(reader, &buffer, 1) > 0 {}
        #expect(Glibc.read(reader, &buffer, 1) == 0)
    }

    @Test("that nothing confines, and that ends its supervisor, is noticed")
    func lost() throws {
        let (process, _) = try run("kill -KILL $PPID; exec sleep 600", [])
        #expect(process.isLost && process.ending == nil)
    }
}
