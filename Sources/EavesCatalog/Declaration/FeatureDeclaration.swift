// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

/// A feature that a module says it registers.
package struct FeatureDeclaration: Hashable, Sendable {
    package var name: String
    /// What it does, in one line. May be empty.
    package var summary: String

    package init(name: String, summary: String = "") {
        self.name = name
        self.summary = summary
    }
}
