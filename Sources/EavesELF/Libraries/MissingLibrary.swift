// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

/// A library that is needed and not there.
package struct MissingLibrary: Hashable, Sendable {
    package let name: String
    /// The library that needs it; `nil` for the module itself.
    package let neededBy: String?

    package init(name: String, neededBy: String? = nil) {
        self.name = name
        self.neededBy = neededBy
    }
}
