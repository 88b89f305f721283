// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesDeclaration
import EavesCatalog
import EavesJSON
import EavesTestSupport

extension Binaries {
    /// A module with this note.
    static func module(_ note: ModuleNote) throws -> [UInt8] {
        try module(note: note.json.text(pretty: false))
    }
}
