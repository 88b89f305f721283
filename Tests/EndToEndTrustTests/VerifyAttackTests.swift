// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesProcess
import EavesTestSupport
import Foundation
import Glibc
import Testing

@testable import EavesVerify
@testable import EndToEndSupport

@Suite("eaves verify, of a module that attacks its judge", .onOwnThreads, .patiently)
struct VerifyAttackTests {
    /// What is defined for the fixture, the checks that may fail, and what is said.
    struct Attack: CustomTestStringConvertible, Sendable {
        let name: String
        let macros: [String: String]
        let check: String
        let message: String
        var testDescription: String { name }
    }

    /// Finds the channel, and writes the report into it that a check has passed.
    private static func forging(passed check: String, then code: String) -> String {
        let report = ProbeMessage(report: .finished(check, .passed), token: "")
        let bytes = (try? Frame.bytes(of: report)) ?? []
        let text = bytes.map { "\\" + String($0 >> 6) + String($0 >> 3 & 7) + String($0 & 7) }
            .joined()
        return """
            for (int f = 3; f < 1024; ++f) if (f != 1 && f != 2) \
            if (write(f, "\(text)", \(bytes.count)) > 0) {} \(code)
            """
    }

    static let attacks = [
        Attack(
            name: "writes 'passed' and kills itself",
            macros: ["REGISTER": forging(passed: "registers", then: "raise(SIGKILL);")],
            check: "registers", message: "wrote into the channel on which its checks are reported"),
        Attack(
            name: "writes 'passed' while it is loaded, and exits",
            macros: ["CONSTRUCTOR": forging(passed: "loads", then: "_exit(0);")],
            check: "loads", message: "wrote into the channel on which its checks are reported"),
        Attack(
            name: "keeps the clock from running out",
            macros: [
                "REGISTER": "for (;;) { \(forging(passed: "registers", then: "usleep(1000);")) }"
            ],
            check: "registers", message: "wrote into the channel on which its checks are reported"),
        Attack(
            name: "fills the channel with lines",
            macros: ["REGISTER": #"for (;;) write(500, "frame 0 - /a/path/of/some/length\n", 33)"#],
            check: "registers", message: "wrote into the channel on which its checks are reported"),
        Attack(
            name: "blames another module",
            macros: [
                "REGISTER": """
                static const char report[] = "crash 11\\nblame other\\nframe 10 other /o.so\\nend\\n"; \
                if (write(501, report, sizeof report - 1) > 0) _exit(0)
                """
            ],
            check: "registers", message: "ended the process with exit code 0"),
        Attack(
            name: "kills its judge", macros: ["REGISTER": "kill(getppid(), 9)"],
            check: "registers", message: "tried to signal the verifying process"),
        Attack(
            name: "kills everything", macros: ["REGISTER": "kill(-1, 9)"],
            check: "registers", message: "tried to signal the verifying process"),
        Attack(
            name: "stops itself", macros: ["REGISTER": "raise(SIGSTOP)"],
            check: "registers", message: "did not finish within 2 s"),
        Attack(
            name: "is a fork bomb", macros: ["REGISTER": "for (;;) fork()"],
            check: "registers", message: "started too many processes"),
        Attack(
            name: "writes a huge file",
            macros: [
                "REGISTER": """
                int f = open("huge", O_CREAT | O_WRONLY, 0600); \
                for (;;) if (pwrite(f, "x", 1, 1LL << 40) < 0) abort();
                """
            ], check: "registers", message: "wrote too large a file"),
        Attack(
            name: "fills the memory",
            macros: [
                "REGISTER": "for (;;) *(volatile char *)malloc(1 << 28) = 1"
            ], check: "registers", message: "crashed with SIGSEGV in "),
    ]

    @Test("fails the check, and nothing else suffers", arguments: attacks)
    func attack(_ attack: Attack) throws {
        let workspace = try Workspace.inC(attack.macros)
        let time = attack.message.contains("within 2 s") ? "2" : "1200"
        let module = try #require(try workspace.verify("--timeout", time, code: 70).first)
        #expect(module.ids("failed") == [attack.check], "\(module.ids("failed"))")
        let message = try module.check(attack.check).message ?? ""
        #expect(message.hasPrefix("misbehaves-in-c: \(attack.message)"), "\(message)")
        #expect(try workspace.list().module("misbehaves-in-c")?.state == "quarantined")
    }

    @Test("leaves a process behind in its own session: the process is gone, and there are warnings")
    func leftBehind() throws {
        let fork = """
            if (fork() == 0) { setsid(); if (fork() == 0) { \
            open("left", O_CREAT | O_WRONLY, 0600); \
            mkfifo("pipe", 0600); sleep(600); } _exit(0); } while (access("left", F_OK)) usleep(1000)
            """
        let workspace = try Workspace.inC(["REGISTER": fork])
        let module = try #require(try workspace.verify("--timeout", "1200", code: 0).first)
        #expect(module.ids("failed") == [])
        #expect(Set(module.ids("warned")).isSuperset(of: ["no-threads", "ends"]))
        #expect(try module.check("ends").message?.contains("left ") == true)
        // Nothing runs any more that has its folder as working directory.
        let here = workspace.realPath
        let running = try FileManager.default.contentsOfDirectory(atPath: "/proc").filter {
            let link = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/\($0)/cwd")
            return Int($0) != nil && link == here
        }
        #expect(running == [])
    }

    @Test("sees a few harmless variables, and no other")
    func environment() throws {
        let look = #"if (getenv("EAVES_TEST_SECRET") || !getenv("PATH")) abort()"#
        let workspace = try Workspace.inC(["CONSTRUCTOR": look])
        let outcome = try Eaves.shell(
            "EAVES_TEST_SECRET=1 exec '\(Eaves.executable.path)' verify --timeout 1200",
            in: workspace.url)
        #expect(outcome.code == 0, "\(outcome)")
    }

    /// Root gets a PID namespace, and other users do not.
    @Test(
        "attacks in vain, too, where there is no namespace: as a user without rights",
        .enabled(if: geteuid() == 0, "needs root"),
        arguments: [
            ("for (;;) if (fork() == 0) { setsid(); if (fork()) _exit(0); }", "started too many"),
            ("kill(getppid(), 9)", "tried to signal the verifying process"),
            ("if (fork() == 0) { setsid(); if (fork() == 0) sleep(600); _exit(0); }", "left "),
        ])
    func otherUser(code: String, message: String) throws {
        let workspace = try Workspace.inC(["REGISTER": code])
        // An identifier that no other test uses: whatever runs under it comes from this module.
        let user = UInt32.random(in: 100_000...200_000)
        let outcome = try Eaves.shell(
            """
            chown -R \(user):\(user) . && \
            setpriv --reuid=\(user) --regid=\(user) --clear-groups \
            '\(Eaves.executable.path)' verify --timeout 1200
            """, in: workspace.url)
        #expect(outcome.output.contains(message), "\(outcome)")
        let running = try FileManager.default.contentsOfDirectory(atPath: "/proc").filter { name in
            var status = stat()
            return Int(name) != nil && stat("/proc/\(name)", &status) == 0 && status.st_uid == user
        }
        #expect(running == [])
    }
}
