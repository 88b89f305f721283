// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesBuild
import EavesDiagnostics

/// Modules that could not be built.
struct BuildFailure: Error, Diagnosable {
    let errors: [BuildError]

    var diagnostics: [Diagnostic] { errors.flatMap(\.diagnostics) }
}
