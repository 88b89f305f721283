// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesDiagnostics

/// What is wrong with a manifest and its modules; the first problem makes the exit code.
struct ValidationFault: Diagnosable {
    let diagnostics: [Diagnostic]
}
