// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesProcess
import EavesSystem
import EavesTestSupport
import Glibc
import Testing

@testable import EavesVerify

@Suite("A process, seen from outside", .onOwnThreads, .patiently)
struct ProcessViewTests {
    /// Runs a script, which has to print a line and wait for its end, and looks at it then.
    private func view(_ script: String) throws -> ProcessView {
        let folder = try TemporaryFolder()
        let path = folder.file("pipe")
        #expect(mkfifo(path, 0o600) == 0)
        let reader = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        defer { close(reader) }
        let child = try ChildProcess(
            ChildCommand("/bin/sh", ["-c", "\(script)\necho ready >\(path); kill -STOP $$"]),
            [.empty])
        defer { child.signal(SIGKILL) }
        #expect(Pipe.isReadable(reader, within: Patience.milliseconds))
        return try #require(ProcessView(Int(child.identifier)))
    }

    @Test("shows its directory, umask, limits and priority, and handling of signals")
    func changes() throws {
        let before = try view("cd /tmp; umask 022")
        #expect(before.changes(to: before) == [])
        let after = try view(
            "cd /; umask 077; trap : USR1; trap '' USR2; ulimit -n 100; renice 5 $$ >/dev/null")
        let changes = before.changes(to: after)
        #expect(
            changes == [
                "the working directory (/tmp → /)", "the umask (0022 → 0077)",
                "the handling of SIGUSR1, SIGUSR2", "the priority", "the resource limits",
            ], "\(changes)")
    }

    @Test("shows from inside that a signal is handled in another way, also by the same function")
    func flags() {
        let before = ProcessSnapshot()
        #expect(before.changes(to: before) == [])
        var former = sigaction()
        #expect(sigaction(SIGURG, nil, &former) == 0)
        var other = former
        other.sa_flags ^= SA_RESTART
        #expect(sigaction(SIGURG, &other, nil) == 0)
        defer { sigaction(SIGURG, &former, nil) }
        let changes = before.changes(to: ProcessSnapshot())
        #expect(
            changes.contains {
                $0.hasPrefix("the handling of ") && $0.contains(SignalName.of(SIGURG))
            },
            "\(changes)")
    }

    @Test("names each change of a thread's own state")
    func harm() {
        #expect(ProcessSnapshot.harm(in: (false, [])) == [])
        #expect(
            ProcessSnapshot.harm(in: (true, [SIGTERM, SIGUSR1])) == [
                "how its thread computes with floating-point numbers",
                "the signals that its thread blocks (SIGTERM, SIGUSR1)",
            ])
    }

    @Test("shows its threads, its children and its open files")
    func parts() throws {
        let quiet = try view(":")
        let busy = try view("exec 7</dev/zero; (exec sleep 600) &")
        #expect(quiet.threads.count == 1 && quiet.children.isEmpty)
        #expect(busy.children.count == 1)
        #expect(busy.descriptors["7"]?.target == "/dev/zero" && quiet.descriptors["7"] == nil)
    }

    @Test("has opened a file also if it has the number of one that it has closed")
    func exchangedDescriptor() throws {
        var observation = Observation()
        observation.views[.unloaded] = try view("exec 7</dev/null")
        observation.views[.registered] = try view("exec 7</dev/zero")
        let message = try #require(observation.judgeDescriptors()?.message)
        #expect(message.contains("left open /dev/zero"))
        observation.views[.registered] = observation.views[.unloaded]
        #expect(observation.judgeDescriptors() == nil)
    }

    @Test("that is gone shows nothing")
    func gone() throws {
        let child = try ChildProcess(ChildCommand("/bin/true"), [.empty])
        child.wait()
        #expect(ProcessView(Int(child.identifier)) == nil)
    }
}
