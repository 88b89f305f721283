// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

/// A file or directory that has to be trusted.
package struct TrustPlace: Hashable, Sendable {
    /// What hangs on it.
    package enum Role: Hashable, Sendable {
        /// A module's file.
        case module
        /// The manifest.
        case manifest
        /// The file that says whose signatures count.
        case allowedSigners
        /// A file that a module is built from.
        case source
        /// A folder of the store.
        case store
        /// A directory, or a link, on the way to one of these.
        case way
    }

    /// As an absolute path.
    package let path: String
    package let role: Role

    package init(_ path: String, _ role: Role) {
        self.path = path
        self.role = role
    }
}
