// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

/// A module that may crash, as the quarantine names it.
package struct SuspectModule: Hashable, Sendable {
    package let id: String
    /// The file as people see it.
    package let path: String
    /// The file as an absolute path.
    package let file: String

    package init(id: String, path: String, file: String) {
        self.id = id
        self.path = path
        self.file = file
    }
}
