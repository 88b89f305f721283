// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesDiagnostics

/// `-o` for several modules at once.
struct OutputFault: Error, Diagnosable {
    private let option: String

    init(_ option: String) {
        self.option = option
    }

    var diagnostics: [Diagnostic] {
        [
            Diagnostic(
                "option '--\(option)' is for one module", fix: "name one folder or id",
                code: .usage)
        ]
    }
}
