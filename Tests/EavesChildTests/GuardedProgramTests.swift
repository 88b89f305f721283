// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesSystem
import EavesTestSupport
import Glibc
import Testing

@testable import EavesChild
@testable import EavesProcess

@Suite("A guarded program", .onOwnThreads, .patiently)
struct GuardedProgramTests {
    /// The combinations that the kernel of this machine may leave us with.
    static let combinations: [GuardedProgram.Means] = [
        .all, [.landlock, .filter], [.filter], [.landlock], [],
    ]

    /// Those whose programs end with them, and leave nothing behind.
    static let roles =
        combinations.map { GuardedProgram.Role.judge(.usual, $0) }
        + [.worker(startsPrograms: false), .worker(startsPrograms: true)]

    /// Those in which a filter of system calls takes part.
    static let filters: [GuardedProgram.Means] = [
        .all, [.landlock, .filter], [.filter], [.namespace, .filter],
    ]

    private func start(
        _ script: String, output: Int32, as role: GuardedProgram.Role
    ) throws -> (program: GuardedProgram, child: ChildProcess) {
        let stream = ChildCommand.Stream.descriptor(output)
        let program = try GuardedProgram(
            ChildCommand("/bin/sh", ["-c", script]), [.empty, stream, stream, stream], as: role)
        return (program, ChildProcess(guardedBy: program))
    }

    private func run(
        _ script: String, as role: GuardedProgram.Role, ask: [Int32] = []
    ) throws -> (program: GuardedProgram, ending: ChildEnding, output: String) {
        let output = try MemoryFile.open("test")
        let (program, child) = try start(script, output: output.descriptor, as: role)
        for signal in ask { program.signal(signal) }
        let ending = try #require(child.wait(until: Patience.end))
        let text = String(decoding: try output.bytes(at: 0, count: 64 << 10), as: UTF8.self)
        return (program, ending, text)
    }

    private func run(
        _ script: String, _ means: GuardedProgram.Means = .all,
        limits: GuardedProgram.Limits = GuardedProgram.Limits(), ask: [Int32] = []
    ) throws -> (program: GuardedProgram, ending: ChildEnding, output: String) {
        try run(script, as: .judge(limits, means), ask: ask)
    }

    @Test("tells how the program ended, however it is confined", arguments: combinations)
    func ends(_ means: GuardedProgram.Means) throws {
        let exit = try run("echo well; exit 7", means)
        #expect(exit.ending == .exited(7))
        #expect(exit.program.outcome.leftBehind == 0 && exit.program.outcome.excess == nil)
        #expect(exit.output == "well\n")
        #expect(exit.program.means.isSubset(of: means))
        let signal = try run("kill -SEGV $$", means)
        #expect(signal.ending == .signalled(SIGSEGV))
    }

    @Test("says that a program cannot be started", arguments: roles)
    func noProgram(_ role: GuardedProgram.Role) {
        let expected = SystemError(.run, "/nowhere/program", .noSuchFile)
        #expect(throws: expected) {
            try GuardedProgram(ChildCommand("/nowhere/program"), [], as: role)
        }
    }

    /// The process that is left behind is the only one that holds the pipe open for writing: its
    /// reader sees the end as soon as that process is gone.
    @Test("leaves nothing behind, not even in other sessions", arguments: roles)
    func leftBehind(_ role: GuardedProgram.Role) throws {
        let folder = try TemporaryFolder()
        let path = folder.file("pipe")
        #expect(mkfifo(path, 0o600) == 0)
        let reader = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        defer { close(reader) }
        let left = try run(
            "exec 4>\(path); (setsid sh -c '(echo started >&4; exec sleep 600) &' &) ; read line <\(path)",
            as: role)
        #expect(left.program.outcome.leftBehind >= 1)
        // Not one process has it open any more.
        var buffer: [UInt8] = [0]
        while Glibc.read(reader, &buffer, 1) > 0 {}
        #expect(Glibc.read(reader, &buffer, 1) == 0)
    }

    @Test(
        "cannot signal its guardian",
        arguments: filters)
    func signalsGuardian(_ means: GuardedProgram.Means) throws {
        for signal in ["KILL", "STOP"] {
            let (program, ending, output) = try run("kill -\(signal) $PPID; echo survived", means)
            #expect(ending == .signalled(SIGSYS))
            #expect(output == "" && !program.outcome.isGuardianLost)
        }
    }

    @Test(
        "cannot signal processes outside",
        arguments: [
            .all, [.landlock], [.filter], [.namespace],
        ] as [GuardedProgram.Means])
    func signalsOthers(_ means: GuardedProgram.Means) throws {
        let other = try ChildProcess(ChildCommand("/bin/sleep", ["600"]), [.empty])
        defer { other.signal(SIGKILL) }
        let (program, ending, output) = try run(
            "kill -KILL \(other.identifier) || echo refused", means)
        // Every kernel has filters, so only what the others can do alone may stay unknown.
        if program.means.isEmpty, !means.contains(.filter) {
            try Test.cancel("needs a kernel that lets this process confine another one like this")
        }
        #expect(!program.means.isEmpty)
        #expect(ending == .exited(0))
        #expect(output.contains("refused"))
        #expect(other.poll(waits: false) == nil)
    }

    @Test(
        "cannot change the limits and the priority of another process, as little as signal it",
        arguments: filters)
    func changesOthers(_ means: GuardedProgram.Means) throws {
        let other = try ChildProcess(ChildCommand("/bin/sleep", ["600"]), [.empty])
        defer { other.signal(SIGKILL) }
        for target in ["\(other.identifier)", "$PPID"] {
            let changes = [
                "prlimit --pid \(target) --cpu=0:0", "prlimit --pid \(target) --nofile=0:0",
                "renice -n 19 -p \(target)", "renice -n 19 -g 0", "taskset -p 1 \(target)",
                "chrt --batch -p 0 \(target)", "ionice -c 3 -p \(target)",
            ]
            let script = changes.map { "\($0) && echo 'changed by \($0)'" }.joined(separator: "; ")
            let (program, ending, output) = try run("{ \(script); } 2>/dev/null; exit 3", means)
            #expect(ending == .exited(3))
            #expect(!output.contains("changed by"), "\(output)")
            #expect(!program.outcome.isGuardianLost)
        }
        #expect(other.poll(waits: false) == nil)
    }

    @Test(
        "can change its own limits and priority, and ask for those of others",
        arguments: combinations)
    func changesOwn(_ means: GuardedProgram.Means) throws {
        let script = """
            set -e; ulimit -n 64; renice -n 19 -p $$ >/dev/null; prlimit --pid $$ --core=0; \
            prlimit --pid $PPID --nofile >/dev/null; nice -n 6 ionice -c 3 true; ulimit -n
            """
        let (_, ending, output) = try run(script, means)
        #expect(ending == .exited(0))
        #expect(output == "64\n")
    }

    @Test("can signal itself and, with a scope or a namespace, what it has started")
    func signalsOwn() throws {
        let ending = try run("sleep 600 & kill -TERM $!; wait; kill -USR1 $$").ending
        #expect(ending == .signalled(SIGUSR1))
    }

    @Test("gets signals that it is sent")
    func asked() throws {
        let ending = try run("exec sleep 600", ask: [SIGTERM]).ending
        #expect(ending == .signalled(SIGTERM))
    }

    @Test("is ended when it starts too many processes", arguments: combinations)
    func bomb(_ means: GuardedProgram.Means) throws {
        // As many as it takes and not ever more, which would take the processors from the other tests.
        // 'VerifyAttackTests' has the bombs. While one of them has all processes that this user may start, the shell
        // ends, and goes on as another one.
        let script = """
            export START='trap "exec sh -c \\"\\$START\\"" EXIT; trap "" TERM; \
            i=0; while [ $i -lt 80 ]; do sleep 600 & i=$((i + 1)); done; wait'; exec sh -c "$START"
            """
        let bomb = try run(script, means, limits: GuardedProgram.Limits(processes: 64))
        #expect(bomb.program.outcome.excess == .processes)
    }

    @Test("is ended when all its processes together use too much memory")
    func memory() throws {
        // With a command after it, 'sleep' does not take the place of the shell, which has the memory.
        let fill = "a=$(head -c 20000000 /dev/zero | tr '\\0' a); sleep 600; :"
        let filled = try run(
            "for i in 1 2 3 4 5 6; do (\(fill)) & done; wait",
            limits: GuardedProgram.Limits(memory: 80 << 20))
        #expect(filled.program.outcome.excess == .memory)
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
            "\(program) 1", limits: GuardedProgram.Limits(memory: 200 << 20))
        #expect(fits.program.outcome.excess == nil)
        let excess = try run(
            "\(program) 600", limits: GuardedProgram.Limits(memory: 80 << 20))
        #expect(excess.program.outcome.excess == .memory)
    }

    /// The guardian begins as a copy of its caller, and so would a program that it measured before it is loaded.
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
            let (program, child) = try start(
                "exit 7", output: null,
                as: .judge(GuardedProgram.Limits(memory: 200 << 20), .all))
            // The program rests while the guardian measures, wherever the signal meets it.
            program.signal(SIGSTOP)
            Patience.letPass(.milliseconds(60))
            program.signal(SIGCONT)
            #expect(child.wait(until: Patience.end) == .exited(7))
            #expect(program.outcome.excess == nil)
        }
    }

    @Test("ends with its owner", arguments: roles)
    func owner(_ role: GuardedProgram.Role) throws {
        let folder = try TemporaryFolder()
        let path = folder.file("pipe")
        #expect(mkfifo(path, 0o600) == 0)
        let reader = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        defer { close(reader) }
        let null = open("/dev/null", O_RDWR)
        defer { close(null) }
        let script = "exec 4>\(path); echo up >&4; exec sleep 600"
        var child: ChildProcess? = try start(script, output: null, as: role).child
        #expect(Pipe.isReadable(reader, within: Patience.milliseconds))
        #expect(child?.ending == nil)
        child = nil
        var buffer: [UInt8] = [0]
        while Glibc.read(reader, &buffer, 1) > 0 {}
        #expect(Glibc.read(reader, &buffer, 1) == 0)
    }

    @Test("that nothing confines, and that ends its guardian, is noticed and ends with it")
    func lost() throws {
        let (program, ending, _) = try run("kill -KILL $PPID; exec sleep 600", [])
        #expect(program.outcome.isGuardianLost && ending == .signalled(SIGKILL))
        try Patience.wait(for: "the end of the program") { kill(program.process, 0) != 0 }
    }

    @Test("has a handle that tells of its end, and none once it has ended")
    func handle() throws {
        let null = open("/dev/null", O_RDWR)
        defer { close(null) }
        let role = GuardedProgram.Role.worker(startsPrograms: false)
        let (program, child) = try start("exec sleep 600", output: null, as: role)
        let handle = program.openHandle()
        defer { close(handle) }
        #expect(handle >= 0 && !Pipe.isReadable(handle, within: 0))
        program.signal(SIGTERM)
        #expect(Pipe.isReadable(handle, within: Patience.milliseconds))
        #expect(child.wait(until: Patience.end) == .signalled(SIGTERM))
        #expect(program.openHandle() == -1)
    }
}
