// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesDiagnostics
import EavesManifest

/// There is no manifest here or above.
struct ManifestSearchFault: Error, Hashable, Sendable {
    /// Where the search began.
    let folder: String
}

extension ManifestSearchFault: Diagnosable {
    var diagnostics: [Diagnostic] {
        [
            Diagnostic(
                "no \(Manifest.fileName) in \(folder) or any folder above it",
                fix: "go to the folder that holds it, or name it with '--manifest PATH'",
                code: .notFound)
        ]
    }
}
