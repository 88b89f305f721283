// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

/// A module that is ready and of which the cache says all that a list shows.
package struct PlainModule: Sendable {
    /// The text of its id, as all texts of which nothing has to be escaped in JSON.
    package let id: CachedText
    package let version: CachedText
    /// The name of its file in the directory.
    package let fileName: CachedText
    /// Of its directory, in the order of the manifest.
    package let directory: Int
    package let provides: CachedTexts
    package let requires: CachedTexts
    /// Its place in the cache.
    let file: Int
}
