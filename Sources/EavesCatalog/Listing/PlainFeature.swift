// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

/// A feature of a ``PlainModule``.
package struct PlainFeature: Sendable {
    package let name: CachedText
    package let summary: CachedText
    /// The id of the module.
    package let module: CachedText
    /// The place of the module's file in the cache.
    let file: Int
}
