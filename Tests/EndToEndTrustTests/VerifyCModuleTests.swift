// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesTestSupport
import Glibc
import Testing

@testable import EndToEndSupport

@Suite("eaves verify, of a module in plain C", .onOwnThreads)
struct VerifyCModuleTests {
    @Test("passes a good one")
    func well() throws {
        let workspace = try Workspace.inC()
        let module = try #require(try workspace.verify(code: 0).first)
        #expect(module.ids("failed") + module.ids("warned") == [], "\(module)")
        #expect(try module.check("interface-version").message == "it uses the C ABI alone")
    }

    /// What is defined for the fixture, the check that fails, the signal, and what is said.
    static let faults:
        [(place: String, code: String, check: String, signal: Int32?, message: String)] = [
            ("CONSTRUCTOR", "abort()", "loads", SIGABRT, "crashed with SIGABRT in construct + "),
            (
                "CONSTRUCTOR", "exit(0)", "loads", nil,
                "ended the process with exit code 0 in construct + "
            ),
            ("CONSTRUCTOR", "_exit(3)", "loads", nil, "ended the process with exit code 3"),
            ("CONSTRUCTOR", "raise(SIGKILL)", "loads", SIGKILL, "was ended by SIGKILL"),
            (
                "CONSTRUCTOR", "for (;;) {}", "loads", nil,
                "did not finish within 2 s in construct + "
            ),
            ("DESTRUCTOR", "abort()", "ends", SIGABRT, "crashed with SIGABRT in destruct + "),
            (
                "DESTRUCTOR", "for (;;) pause()", "ends", nil,
                "did not finish within 2 s in destruct + "
            ),
            (
                "REGISTER", "qsort(&feature, 2, 8, 0)", "registers", SIGSEGV,
                "crashed with SIGSEGV in eaves_register + "
            ),
            (
                "REGISTER", "((void (*)(void))0)()", "registers", SIGSEGV,
                "crashed with SIGSEGV in eaves_register + "
            ),
            // The frame pointer leads to where no memory is.
            (
                "REGISTER", "*(void **)__builtin_frame_address(0) = (void *)16; abort()",
                "registers", SIGABRT, "crashed with SIGABRT in eaves_register + "
            ),
            (
                "REGISTER", "if (host->register_feature(host, &feature)) abort(); return 0",
                "refused-registration", SIGABRT, "crashed with SIGABRT in eaves_register + "
            ),
            (
                "REGISTER", "if (host->abi_version != 1) abort()", "unknown-abi", SIGABRT,
                "crashed with SIGABRT in eaves_register + "
            ),
            (
                "REGISTER", "if (host->size != sizeof *host) return 5", "later-host", nil,
                "does not register in a later host: refused to register, with code 5 and no message"
            ),
            (
                "LAUNCH", "raise(SIGFPE)", "features-help", SIGFPE,
                "feature 'misbehave-in-c' crashed with SIGFPE in launch + "
            ),
            (
                "LAUNCH", "return 7", "features-help", nil,
                "feature 'misbehave-in-c' ended with 7 for '--help', expected 0 or 64"
            ),
            (
                "REGISTER", "feature.name = \"other\"", "declaration", nil,
                "registers what it does not declare: feature 'other'"
            ),
        ]

    @Test("names the check, the signal and the function", arguments: faults.indices)
    func fault(index: Int) throws {
        let (place, deed, id, signal, message) = Self.faults[index]
        let workspace = try Workspace.inC([place: deed])
        let isData = ["later-host", "declaration"].contains(id) || deed == "return 7"
        let code: Int32 = !isData ? 70 : id == "later-host" ? 76 : 65
        let time = message.contains("within 2 s") ? "2" : "1200"
        let module = try #require(try workspace.verify("--timeout", time, code: code).first)
        #expect(module.ids("failed") == [id], "\(module.ids("failed"))")
        let check = try module.check(id)
        #expect(check.message?.hasPrefix("misbehaves-in-c: \(message)") == true, "\(check)")
        if let signal { #expect(check.signal == signal) }
    }

    @Test("prints while it is loaded: the output stands in the check, and nowhere else")
    func prints() throws {
        let workspace = try Workspace.inC([
            "CONSTRUCTOR": #"puts("{ \"loud\":"); write(1, "from write\n", 11)"#,
            "REGISTER": #"puts("registering"); fprintf(stderr, "to stderr\n"); abort()"#,
        ])
        let module = try #require(try workspace.verify(code: 70).first)
        let check = try module.check("registers")
        #expect(check.output?.contains("to stderr\n") == true)
        #expect(module.ids("failed") == ["registers"])
        // Commands that only inspect do not run code of the module, so their output is clean, too.
        #expect(try workspace.list().module("misbehaves-in-c")?.state == "quarantined")
        for words in [
            ["inspect", "--json", "c.so"], ["inspect", "--json", "misbehaves-in-c"],
            ["quarantine", "--json"], ["list", "--json"],
            ["swap", "UserService", "misbehaves-in-c"], ["enable", "misbehaves-in-c"],
            ["verify", "--only", "machine"],
        ] {
            let outcome = try workspace.eaves(words)
            for text in ["loud", "from write"] {
                #expect(!outcome.output.contains(text) && !outcome.errors.contains(text))
            }
        }
    }
}
