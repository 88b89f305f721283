// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesDiagnostics

/// What keeps the host from loading the module that was inspected.
struct InspectFault: Error, Diagnosable {
    let diagnostics: [Diagnostic]
}
