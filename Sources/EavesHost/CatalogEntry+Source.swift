// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesDeclaration
import EavesCatalog
import EavesSystem

extension CatalogEntry {
    /// Whether it is built from sources whose `module.json` says something else than its file does.
    var hasNewDeclaration: Bool {
        guard let source, isEnabled else { return false }
        let path = Path.join(source, ModuleDeclaration.fileName)
        // The catalog tells of one that cannot be read.
        guard let declared = try? ModuleDeclaration.load(path, shownAs: path) else { return false }
        return declared != declaration
    }
}
