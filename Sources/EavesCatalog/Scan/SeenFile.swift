// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesSystem

/// A file that a manifest leads to, looked at once.
enum SeenFile: Sendable {
    /// It is as it was when the cache was written. Its place there.
    case kept(Int)
    /// It is new, was changed, or is no module.
    ///
    /// - Parameters:
    ///   - name: In its directory; the whole path of one that the manifest lists.
    ///   - kind: As the directory's listing called it.
    indirect case read(name: String, kind: FileStatus.Kind, ModuleFile)
}
