// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesJSON

@testable import EavesManifest

// Edits that no history keeps, as a person makes them.
extension ManifestEditor {
    mutating func bind(_ service: String, to module: String) throws(ManifestError) {
        try change { text throws(JSONSyntaxError) in
            try text.set([.bindings, service], to: .string(module))
        }
    }

    mutating func unbind(_ service: String) throws(ManifestError) {
        try change { text throws(JSONSyntaxError) in try text.remove([.bindings, service]) }
    }
}
