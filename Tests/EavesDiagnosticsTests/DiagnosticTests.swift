// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import EavesDiagnostics

@Suite("Diagnostics")
struct DiagnosticTests {
    @Test("puts the fix on a second line")
    func description() {
        let problem = Diagnostic("no such module", fix: "run 'eaves list'", code: .notFound)
        #expect(problem.description == "no such module\nfix: run 'eaves list'")
        #expect(Diagnostic("no such module", code: .notFound).description == "no such module")
        #expect(problem.diagnostics == [problem])
    }
}

@Suite("the command's name")
struct CommandNameTests {
    private let acme = CommandName("acme", subcommands: ["build", "swap", "trust"])

    @Test(
        "stands in each call that a message quotes",
        arguments: [
            ("run 'eaves build weather'", "run 'acme build weather'"),
            ("'eaves swap S a' or 'eaves swap S b'", "'acme swap S a' or 'acme swap S b'"),
            ("see 'eaves --help', or 'eaves'", "see 'acme --help', or 'acme'"),
            ("eaves: no compiler: see 'eaves build'", "acme: no compiler: see 'acme build'"),
            ("", ""), ("nothing to rename", "nothing to rename"),
        ])
    func calls(before: String, after: String) {
        #expect(acme.applied(to: before) == after)
        #expect(CommandName().applied(to: before) == before)
    }

    @Test(
        "stands nowhere else: not in the names of files, of the store, or of functions",
        arguments: [
            "remove 'eaves stuff/a.so'", "'eavesdrop build'", "'eaves_register' is missing",
            "the folder .eaves", "eavesdropping: no",
        ])
    func others(text: String) {
        #expect(acme.applied(to: text) == text)
    }
}
