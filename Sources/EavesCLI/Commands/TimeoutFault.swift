// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesDiagnostics

/// `--timeout` with something else than a time.
struct TimeoutFault: Error, Diagnosable {
    let found: String

    var diagnostics: [Diagnostic] {
        [
            Diagnostic(
                "option '--timeout' expects seconds, from 0.001 to 86400, found '\(found)'",
                fix: "give a number, as in '--timeout 30'", code: .usage)
        ]
    }
}
