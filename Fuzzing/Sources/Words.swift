// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesDiagnostics

/// What holds for every message, whatever it is about.
enum Words {
    static func check(_ diagnostics: [Diagnostic]) {
        for diagnostic in diagnostics {
            check(diagnostic.message)
            if let fix = diagnostic.fix { check(fix) }
        }
    }

    /// Nobody's file steers the terminal that it is shown on.
    private static func check(_ text: String) {
        precondition(!text.isEmpty, "a message without words")
        let control = text.unicodeScalars.first {
            $0.value < 0x20 || (0x7F...0x9F).contains($0.value)
        }
        precondition(control == nil, "a control character in: \(text.debugDescription)")
    }
}
