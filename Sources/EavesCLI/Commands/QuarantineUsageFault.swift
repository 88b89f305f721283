// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesDiagnostics

/// Words behind `eaves quarantine` that say nothing.
struct QuarantineUsageFault: Error, Diagnosable {
    let found: [String]

    var diagnostics: [Diagnostic] {
        [
            Diagnostic(
                "'eaves quarantine' expects nothing, 'clear ID…' or 'clear --all', found "
                    + (found.isEmpty ? "'--all'" : "'\(found.joined(separator: " "))'"),
                fix: "see 'eaves quarantine --help'", code: .usage)
        ]
    }
}
