// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

package import EavesJSON

/// What the manifest says of one module.
package struct ModuleEntry: Hashable, Sendable {
    package var id: String
    /// The `.so` as written, relative to the manifest. `nil`: the one of that id that is found in
    /// the directories.
    package var library: String?
    package var isEnabled = true
    /// What the file must hash to, as 64 lowercase digits.
    package var sha256: String?
    package var isolation: Isolation?
    /// The module's own, handed to it as they are.
    package var settings: [JSON.Member] = []
    /// Where the entry stands in the manifest.
    package var position: TextPosition

    package init(id: String, position: TextPosition) {
        self.id = id
        self.position = position
    }
}
