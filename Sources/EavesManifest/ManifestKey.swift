// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

/// The keys of a manifest. `Documentation/manifest.schema.json` says the same for editors.
package enum ManifestKey: String, CaseIterable, Sendable {
    case schema = "$schema"
    case manifest, directories, compilers, modules, bindings, launch, signatures, allowedSigners

    /// The keys of an entry of `modules`.
    package enum Module: String, CaseIterable, Sendable {
        case library, enabled, sha256, isolation, settings
    }
}
