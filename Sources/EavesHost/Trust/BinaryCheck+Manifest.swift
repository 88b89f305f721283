// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesTrust
package import EavesCatalog
package import EavesManifest
import EavesSystem

extension BinaryCheck {
    /// What the manifest demands of the bytes: their digest, and their signature.
    ///
    /// - Parameters:
    ///   - file: The copy that is about to be loaded.
    ///   - entry: The module, as the catalog knows it.
    package static func checkDemands(
        _ file: String, of entry: CatalogEntry, in manifest: Manifest?
    ) throws {
        if let pinned = entry.sha256 {
            let found = try SHA256.digest(of: OpenFile(reading: file)).hex
            guard found == pinned else { throw BinaryFault.digest(expected: pinned, found: found) }
        }
        if let manifest, manifest.signatures == .required {
            let signature = entry.file + SignatureCheck.suffix
            _ = try SignatureCheck(manifest).signer(of: file, by: signature)
        }
    }
}
