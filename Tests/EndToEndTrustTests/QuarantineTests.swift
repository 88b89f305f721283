// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesSystem
import EavesTestSupport
import Foundation
import Glibc
import Testing

@testable import EndToEndSupport

@Suite("the quarantine", .onOwnThreads)
struct QuarantineTests {
    /// Swift's own backtrace takes seconds.
    private static let noBacktrace = ["SWIFT_BACKTRACE": "enable=no"]

    /// Launches the feature, which crashes, and checks the message about it.
    private func crash(
        _ workspace: Workspace, sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let outcome = try workspace.eaves("launch", "misbehave", environment: Self.noBacktrace)
        #expect(outcome.signal == SIGSEGV, "\(outcome)", sourceLocation: sourceLocation)
        #expect(
            outcome.errors.contains(
                """
                error: misbehaves: crashed with SIGSEGV in the launch of 'misbehave' \
                (Plugins/misbehaves.so)
                fix: see where with 'eaves verify misbehaves'

                """), "\(outcome)", sourceLocation: sourceLocation)
    }

    @Test("names the module at once, and leaves Swift's own backtrace in a file of the store")
    func wholeReport() throws {
        let workspace = try Workspace.misbehaving(["launch": "stray"])
        let outcome = try workspace.eaves("launch", "misbehave")
        #expect(outcome.signal == SIGSEGV, "\(outcome)")
        #expect(!outcome.errors.contains("***"), "\(outcome)")
        #expect(outcome.errors.split(separator: "\n").count <= 10, "\(outcome)")
        let words = "fix: see where in '.eaves/quarantine/crash-"
        let place = try #require(outcome.errors.range(of: words)?.upperBound)
        let number = outcome.errors[place...].prefix(while: \.isNumber)
        #expect(
            outcome.errors.hasSuffix("\(words)\(number).txt', or with 'eaves verify misbehaves'\n"))
        let report = ".eaves/quarantine/crash-\(number).txt"
        // A copy of the process writes it, which is nobody's child here.
        try Patience.wait(for: "the backtrace") {
            try workspace.folder.read(report).contains("Backtrace took")
        }
        let text = try workspace.folder.read(report)
        #expect(
            text.hasPrefix("error: misbehaves: crashed with SIGSEGV in the launch of "), "\(text)")
        #expect(text.contains(" crashed:\n") && text.contains("misbehaves@"), "\(text)")
        let status = try FileStatus(path: workspace.path(report))
        #expect(status.mode & 0o777 == 0o600)
        // Where somebody has chosen where the backtrace goes, it goes there.
        let chosen = try workspace.eaves(
            "launch", "misbehave", environment: ["SWIFT_BACKTRACE": "output-to=stderr"])
        #expect(chosen.errors.contains("Backtrace took"), "\(chosen)")
        #expect(try workspace.crashed().first?.crashes.count == 2)
    }

    @Test("keeps a module out after three crashes, until it is changed or cleared")
    func life() throws {
        let workspace = try Workspace.misbehaving(["launch": "stray"])
        try crash(workspace)
        try crash(workspace)
        #expect(try workspace.list().module("misbehaves")?.state == "ready")
        #expect(
            try workspace.eaves("quarantine").lines.last
                == "misbehaves  counted  -      crashed 2 of 3 times  Plugins/misbehaves.so")
        try crash(workspace)

        // Out, for every command, however often it is asked.
        for _ in 0..<2 {
            let module = try #require(try workspace.list().module("misbehaves"))
            #expect(module.state == "quarantined")
            #expect(module.problem?.hasPrefix("misbehaves: quarantined since 20") == true)
            #expect(
                module.problem?.hasSuffix(
                    " UTC: crashed 3 times, last with SIGSEGV (Plugins/misbehaves.so)") == true)
            let launch = try workspace.eaves("launch", "misbehave")
            #expect(launch.code == 70)
            #expect(
                launch.errors == "error: \(module.problem ?? "?")\nfix: mend it and put it in "
                    + "place again, or let it in as it is with 'eaves quarantine clear misbehaves'\n"
            )
        }
        // Another store knows of none of them.
        let store = ["--store", "state"]
        #expect(try workspace.eaves(["launch"] + store + ["misbehave"]).signal == SIGSEGV)
        #expect(try workspace.eaves(store + ["quarantine"]).output.contains("crashed 1 of 3 times"))
        let inspect = try workspace.eaves("inspect", "misbehaves")
        #expect(inspect.code == 70)
        #expect(inspect.lines.contains("state:     quarantined"))
        #expect(try workspace.eaves("swap", "UserService", "misbehaves").code == 70)
        let kept = try #require(try workspace.crashed().first)
        #expect(
            kept.quarantined && kept.since != nil && kept.crashes.map(\.signal) == [11, 11, 11])
        // Each of these hosts had one generation of each module, which nobody has numbered.
        #expect(kept.crashes.allSatisfy { $0.generation == nil && $0.feature == "misbehave" })

        let clear = try workspace.eaves("quarantine", "clear", "misbehaves")
        #expect(clear.errors == "cleared misbehaves, which crashed 3 times\n")
        #expect(clear.code == 0)
        #expect(try workspace.list().module("misbehaves")?.state == "ready")
        #expect(try workspace.crashed().isEmpty)
        try crash(workspace)
        #expect(try workspace.list().module("misbehaves")?.state == "ready")
    }

    @Test("names the module of a Swift trap, and leaves the message that Swift prints")
    func trap() throws {
        let workspace = try Workspace.misbehaving(["launch": "trap"])
        let outcome = try workspace.eaves("launch", "misbehave", environment: Self.noBacktrace)
        #expect(outcome.signal == VerifyCrashTests.trap)
        #expect(outcome.errors.contains("Misbehaves/Misdeed.swift:"))
        #expect(outcome.errors.contains("Fatal error: on purpose"))
        #expect(outcome.errors.contains("error: misbehaves: crashed with SIG"))
    }

    @Test("names a module whose copy is in memory, where no file can be written")
    func readOnly() throws {
        let workspace = try Workspace.misbehaving(["launch": "stray"])
        // A file in its place: not even root makes a folder of it.
        try workspace.folder.write("", to: ".eaves")
        for _ in 0..<4 { try crash(workspace) }
        #expect(try workspace.list().module("misbehaves")?.state == "ready")
    }

    /// Swift's own backtrace lets the code run on that a signal from outside has interrupted.
    @Test(
        "blames no module for a signal from outside, and ends before the backtrace is written",
        arguments: [("SEGV", 139, false), ("SEGV", 139, true), ("ABRT", 134, true)])
    func outside(signal: String, code: Int, hasBacktrace: Bool) throws {
        let workspace = try Workspace()
        try workspace.drop(SwiftFixtures.module("waits-for-line"))
        let outcome = try Eaves.shell(
            """
            \(hasBacktrace ? "" : "export SWIFT_BACKTRACE=enable=no")
            mkfifo input
            eaves launch wait < input > output &
            exec 9> input
            until grep -q . output; do :; done
            kill -\(signal) $!
            wait $!
            echo "code $?"
            """, in: workspace.url)
        #expect(outcome.output == "code \(code)\n", "\(outcome)")
        #expect(outcome.errors.contains("error: ended by SIG\(signal) of process "), "\(outcome)")
        #expect(outcome.errors.contains(" in the launch of 'wait'\n"), "\(outcome)")
        #expect(!outcome.errors.contains("***"), "\(outcome)")
        let report = ".eaves/quarantine/crash-host.txt"
        #expect(outcome.errors.contains("fix: see where in '\(report)'\n") == hasBacktrace)
        #expect(workspace.folder.has(".eaves/quarantine") == hasBacktrace)
        guard hasBacktrace else { return }
        try Patience.wait(for: "the backtrace") {
            try workspace.folder.read(report).contains("Backtrace took")
        }
        #expect(try workspace.crashed().isEmpty)
    }

    @Test("notes a crash also if another process takes the log away when it has just been opened")
    func logTaken() throws {
        let workspace = try Workspace.misbehaving(["launch": "stray"])
        let preload = try CFixtures.module("TakesLogAway", options: ["-ldl"])
        let outcome = try workspace.eaves(
            "launch", "misbehave",
            environment: Self.noBacktrace.merging(["LD_PRELOAD": preload.path]) { $1 })
        #expect(
            outcome.signal == SIGSEGV && outcome.errors.contains("log taken away\n"), "\(outcome)")
        #expect(try workspace.crashed().first?.crashes.count == 1)
    }

    @Test("hands the signal on to the former handler with all its details")
    func handedOn() throws {
        let workspace = try Workspace(modules: [])
        // Swift's own backtrace, or a core dump, is told of the address.
        let macros = ["LAUNCH": "*(volatile int *)24 = 1"]
        try workspace.drop(CFixtures.module("MisbehavesInC", macros: macros), as: "c.so")
        let preload = try CFixtures.module("TellsOfSignals")
        let outcome = try workspace.eaves(
            "launch", "misbehave-in-c",
            environment: Self.noBacktrace.merging(["LD_PRELOAD": preload.path]) { $1 })
        #expect(
            outcome.errors.hasSuffix("former handler: signal 11, code 1, address 0x18\n"),
            "\(outcome)")
        #expect(outcome.code == 42)
    }
}
