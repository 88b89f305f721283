// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesCatalog
import EavesSystem

extension CatalogEntry {
    /// What its file hashes to, as `sha256sum` prints it.
    func digest() throws(SystemError) -> String {
        try SHA256.digest(of: OpenFile(reading: file)).hex
    }
}
