// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

/// The place of a text in a cache.
package struct CachedText: Sendable {
    let start: UInt32
    let count: UInt32
}

/// The place of a list of texts in a cache.
package struct CachedTexts: Sendable {
    /// Behind the number of the texts.
    let start: UInt32
    package let count: UInt32
    /// Whether an optional name stands behind each, which is passed over.
    let isNamed: Bool
}
