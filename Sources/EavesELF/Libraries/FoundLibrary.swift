// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

/// A library that would be loaded.
package struct FoundLibrary: Hashable, Sendable {
    /// What it was asked for by.
    package let name: String
    package let file: String
}
