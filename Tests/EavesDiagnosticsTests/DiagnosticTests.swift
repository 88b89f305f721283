// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesDiagnostics
import Testing

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
