// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesDeclaration
import EavesELF
import EavesCatalog

/// A module's file, for what the builder asks of it. No code of it runs.
enum BuiltModule {
    /// The digest of the inputs it was built from, if it is whole and the module that is asked for.
    static func inputs(of path: String, id: String) -> String? {
        guard let note = ModuleFile(path).note, note.declaration.id == id else { return nil }
        return note.tag.inputs
    }

    /// Whether the entry point is there to be called.
    static func hasEntry(_ path: String) throws(ELFError) -> Bool {
        try BinaryReport(of: path).hasEntry
    }
}
