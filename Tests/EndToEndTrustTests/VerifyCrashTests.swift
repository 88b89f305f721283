// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesTestSupport
import Foundation
import Glibc
import Testing

@testable import EndToEndSupport

@Suite("eaves verify, of a module whose code misbehaves", .onOwnThreads)
struct VerifyCrashTests {
    /// A misdeed of a module, the check that finds it, and the message.
    struct Misdeed: CustomTestStringConvertible, Sendable {
        let place: String
        let deed: String
        let check: String
        var message = ""
        var signal: Int32?
        var frame: String?
        var code: Int32 = 70

        var settings: [String: String] { [place: deed] }
        var testDescription: String { "\(settings) → \(check)" }
    }

    /// The signal of a Swift trap.
    #if arch(x86_64)
        static let trap = SIGILL
    #else
        static let trap = SIGTRAP
    #endif

    private static let commit = "Misbehaves.Misdeed.commit() throws -> () + "
    private static let stray = "Misbehaves.Misdeed.strayWrite() -> () + "

    static let crashes = [
        Misdeed(place: "register", deed: "trap", check: "registers", signal: trap, frame: commit),
        Misdeed(
            place: "factory", deed: "trap", check: "services-created", signal: trap, frame: commit),
        Misdeed(
            place: "deinit", deed: "stray", check: "services-dropped", signal: SIGSEGV, frame: stray
        ),
    ]

    @Test(
        "crashes: one check fails, with signal and frame, and the module is quarantined",
        arguments: crashes)
    func crash(_ misdeed: Misdeed) throws {
        let workspace = try Workspace.misbehaving(misdeed.settings)
        let check = try onlyFailure(of: misdeed, in: workspace)
        #expect(check.signal == misdeed.signal)
        #expect(check.frame?.hasPrefix(misdeed.frame ?? "?") == true, "\(check)")
        #expect(check.message?.contains("crashed with SIG") == true)
        #expect(
            check.message?.contains(" in \(check.frame ?? "?") (Plugins/misbehaves.so)") == true)
        #expect(check.backtrace.contains(check.frame ?? "?"))
        #expect(try workspace.list().module("misbehaves")?.state == "quarantined")
        let leftovers = try FileManager.default.contentsOfDirectory(atPath: workspace.url.path)
        #expect(!leftovers.contains { $0.hasPrefix("core") })
    }

    static let ends = [
        Misdeed(
            place: "factory", deed: "exit", check: "services-created",
            message: "ended the process with exit code 0 in Misbehaves.Misdeed.commit()"),
        Misdeed(
            place: "launch", deed: "exit", check: "features-help",
            message: "feature 'misbehave' ended the process with exit code 0"),
        Misdeed(
            place: "register", deed: "throw", check: "registers",
            message: "refused to register: NotToday()", code: 65),
        Misdeed(
            place: "factory", deed: "throw", check: "services-created",
            message: "cannot create UserService: NotToday()", code: 65),
        Misdeed(
            place: "register", deed: "rounding", check: "process-state",
            message: "changed how its thread computes with floating-point numbers while it was",
            code: 65),
        Misdeed(
            place: "again", deed: "not", check: "registers-twice",
            message: "registers something else the second time: UserService", code: 65),
        Misdeed(
            place: "launch", deed: "throw", check: "features-help",
            message: "feature 'misbehave' failed: NotToday()"),
        Misdeed(
            place: "launch", deed: "silence", check: "features-help",
            message: "feature 'misbehave' printed nothing for '--help'", code: 65),
    ]

    @Test(
        "ends or fails otherwise: one check fails, and a module that exits is quarantined",
        arguments: ends)
    func end(_ misdeed: Misdeed) throws {
        let workspace = try Workspace.misbehaving(misdeed.settings)
        let check = try onlyFailure(of: misdeed, in: workspace)
        #expect(check.message?.hasPrefix("misbehaves: \(misdeed.message)") == true, "\(check)")
        #expect(check.signal == nil)
        let exits = misdeed.message.contains("ended the process")
        #expect(workspace.folder.has(".eaves/quarantine") == exits)
        #expect(
            try workspace.list().module("misbehaves")?.state == (exits ? "quarantined" : "ready"))
    }

    @Test(
        "does not finish: the check fails in time, with the frame, and the module is quarantined")
    func loop() throws {
        let misdeed = Misdeed(place: "factory", deed: "loop", check: "services-created")
        let workspace = try Workspace.misbehaving(misdeed.settings)
        let check = try onlyFailure(of: misdeed, in: workspace, "--timeout", "2")
        #expect(
            check.message?.contains("did not finish within 2 s in ") == true, "\(check)")
        #expect(check.frame?.contains("Misbehaves.Misdeed.") == true)
        #expect(check.signal == nil)
        let problem = try #require(try workspace.list().module("misbehaves")?.problem)
        #expect(problem.contains("did not finish within 2 s in "), "\(problem)")
    }

    static let warnings = [
        Misdeed(
            place: "register", deed: "print", check: "quiet-registration",
            message: "printed 34 bytes while it was loaded or registered"),
        Misdeed(
            place: "register", deed: "thread", check: "no-threads",
            message: "started 1 thread while it was loaded or registered"),
        Misdeed(
            place: "register", deed: "file", check: "no-descriptors",
            message: "left open /dev/zero while it was loaded or registered"),
        Misdeed(
            place: "register", deed: "close", check: "no-descriptors",
            message: "closed /dev/null while it was loaded or registered"),
        Misdeed(
            place: "register", deed: "sleep", check: "quick-registration",
            message: "registering took "),
        Misdeed(
            place: "keep", deed: "itself", check: "services-dropped",
            message: "UserService stays alive after the host released it"),
        Misdeed(
            place: "launch", deed: "work", check: "features-help",
            message: "feature 'misbehave' seems to start its work when it is asked for help"),
    ]

    @Test("leaves side effects: it passes with one warning", arguments: warnings)
    func warning(_ misdeed: Misdeed) throws {
        let workspace = try Workspace.misbehaving(misdeed.settings)
        let module = try #require(try workspace.verify(code: 0).first)
        #expect(module.passed)
        #expect(module.ids("warned") == [misdeed.check])
        #expect(module.ids("failed") == [])
        let check = try module.check(misdeed.check)
        #expect(check.message?.hasPrefix("misbehaves: \(misdeed.message)") == true, "\(check)")
        #expect(check.fix != nil)
    }

    @Test("is slow twice, as on a busy machine: it is measured again, and there is no warning")
    func slowTwice() throws {
        let workspace = try Workspace.misbehaving(["register": "sleepTwice"])
        let module = try #require(try workspace.verify(code: 0).first)
        #expect(workspace.folder.has("slept") && workspace.folder.has("slept-again"))
        #expect(module.ids("warned") + module.ids("failed") == [])
    }

    @Test("changes everything that a process shares: each thing is named")
    func state() throws {
        let workspace = try Workspace.misbehaving(["register": "state"])
        let module = try #require(try workspace.verify(code: 0).first)
        #expect(module.ids("warned") == ["process-state"] && module.ids("failed") == [])
        let message = try module.check("process-state").message ?? ""
        for part in [
            "→ /)", "umask (", "→ 7)", "locale (C → C.UTF-8)", "(MISBEHAVES, PATH)", "SIGUSR1",
            "the timer of 'alarm'", "the priority",
        ] {
            #expect(message.contains(part), "\(message)")
        }
    }

    private func onlyFailure(
        of misdeed: Misdeed, in workspace: Workspace, _ options: String...
    ) throws -> VerifyOutcome.Check {
        let module = try #require(
            try workspace.verify(options: options, code: misdeed.code).first)
        #expect(module.ids("failed") == [misdeed.check], "\(module.ids("failed"))")
        #expect(module.ids("warned") == [])
        let check = try module.check(misdeed.check)
        #expect(check.fix != nil)
        return check
    }
}
