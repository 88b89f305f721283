// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesDiagnostics

/// `eaves pin` for nothing, or for some and all.
struct PinFault: Error, Diagnosable {
    var diagnostics: [Diagnostic] {
        [
            Diagnostic(
                "'eaves pin' expects ids of modules, or '--all'",
                fix: "name the modules, as 'eaves list' shows them, or write '--all'", code: .usage)
        ]
    }
}
