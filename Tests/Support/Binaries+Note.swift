// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

package import EavesDeclaration
import EavesJSON

extension Binaries {
    /// A module with this note.
    package static func module(_ note: ModuleNote) throws -> [UInt8] {
        try module(note: note.json.text(pretty: false))
    }
}
