// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

/// Another module that a module is linked to.
package struct LinkedModule: Hashable, Sendable {
    /// As the module names it.
    package let library: String
    /// The id, if it is one of the catalog's.
    package let module: String?
}
