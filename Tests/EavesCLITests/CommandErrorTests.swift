// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesDiagnostics
import EavesInterface
import Testing

@testable import EavesCLI
@testable import EavesOutput

@Suite("CommandError")
struct CommandErrorTests {
    /// Errors that other tests do not show in whole.
    @Test(
        "has a message, a fix and an exit code",
        arguments: [
            (
                CommandError.unknownCommand("lst", known: ["list", "launch"]),
                "unknown command 'lst', did you mean 'list'?",
                "see all commands with 'eaves --help'", FailureCode.usage
            ),
            (
                .wrongOperands(command: "list", expected: "", found: ["a", "b"]),
                "'eaves list' expects no operands, found 'a b'", "see 'eaves list --help'", .usage
            ),
            (
                .wrongOperands(command: "enable", expected: "ID", found: []),
                "'eaves enable' expects ID, found nothing", "see 'eaves enable --help'", .usage
            ),
            (
                .badNumber(
                    "--timeout", "seconds, from 0.001 to 86400", found: "soon", as: "--timeout 30"),
                "option '--timeout' expects seconds, from 0.001 to 86400, found 'soon'",
                "give a number, as in '--timeout 30'", .usage
            ),
            (
                .noFeature(manifest: "manifest.json", features: [:]),
                "manifest.json: no module has a feature to launch",
                "make one, 'eaves new feature NAME'", .usage
            ),
            (
                .noFeature(
                    manifest: "manifest.json", features: ["users": "Print all users", "b": ""]),
                "manifest.json: no feature was named, and 'launch' is not set",
                "name one, 'eaves launch FEATURE', or set \"launch\" in the manifest:\n  b\n  users  Print all users",
                .usage
            ),
            (
                .noManifest(folder: "/a"), "no manifest.json in /a or any folder above it",
                "go to the folder that holds it, name it with '--manifest PATH', or begin a project here with 'eaves init'",
                .notFound
            ),
            (
                .noModule("usrs", known: ["home", "users"]),
                "there is no module 'usrs', did you mean 'users'?",
                "see all modules with 'eaves list'", .notFound
            ),
            (
                .noFileOrModule("usrs", known: []), "there is no file and no module 'usrs'",
                "see all modules with 'eaves list'", .notFound
            ),
            (
                .notListed("users", path: "Plugins/users.so"),
                "the manifest does not list 'users', which was found at Plugins/users.so",
                "delete Plugins/users.so, or switch the module off with 'eaves disable users'",
                .notFound
            ),
        ])
    func words(error: CommandError, message: String, fix: String, code: FailureCode) {
        #expect(error.diagnostics == [Diagnostic(message, fix: fix, code: code)])
        #expect(Messages.exitCode(of: error) == code.rawValue)
    }

    private static let problems = [
        Diagnostic("others can write it", fix: "take that away", code: .untrusted),
        Diagnostic("it is damaged", code: .badData),
    ]

    @Test("hands on all problems that other rooms found; the first one gives the exit code")
    func handsOn() {
        let error = CommandError.invalid(Self.problems)
        #expect(error.diagnostics == Self.problems)
        #expect(Messages.exitCode(of: error) == 77)
    }
}
