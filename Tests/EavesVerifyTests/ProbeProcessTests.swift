// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesProcess
import EavesSystem
import EavesTestSupport
import Glibc
import Testing

@testable import EavesVerify

@Suite("The process of a probe", .onOwnThreads, .patiently)
struct ProbeProcessTests {
    private func run(_ script: String, limit: Duration = Patience.limit) throws -> ProbeOutcome {
        try ProbeProcess.run("/bin/sh", ["-c", script], limit: limit)
    }

    @Test("collects what the probe prints, what it reports, and how it ends")
    func collects() throws {
        let outcome = try run("echo printed; echo error >&2; echo crash 11 >&3; kill -SEGV $$")
        #expect(String(decoding: outcome.output, as: UTF8.self) == "printed\nerror\n")
        #expect(outcome.report == ["crash 11"])
        #expect(outcome.ending == .signalled(SIGSEGV))
        #expect(!outcome.isOverdue)
    }

    /// The process that is left behind is the only one that holds the pipe open for writing: its
    /// reader sees the end as soon as that process is gone.
    @Test("leaves no process behind that the probe has started")
    func outliving() throws {
        let folder = try TemporaryFolder()
        let path = folder.file("pipe")
        #expect(mkfifo(path, 0o600) == 0)
        let reader = try OpenFile(reading: path)
        let outcome = try run("exec 4>\(path); (echo started >&4; exec sleep 600) & exit 3")
        #expect(outcome.ending == .exited(3))
        var isAtEnd = false
        while !isAtEnd, Pipe.isReadable(reader.descriptor, within: Patience.milliseconds) {
            isAtEnd = Pipe.read(reader.descriptor, count: 100) == []
        }
        #expect(isAtEnd)
    }

    @Test("ends a probe in time that hangs, or that has closed its pipe and goes on")
    func overdue() throws {
        for script in ["sleep 600", "exec 3>&-; sleep 600"] {
            let outcome = try run(script, limit: .milliseconds(50))
            #expect(outcome.isOverdue)
        }
    }
}
