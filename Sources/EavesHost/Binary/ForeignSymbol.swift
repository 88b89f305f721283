// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

/// A symbol that a module needs and another module has.
package struct ForeignSymbol: Hashable, Sendable {
    /// Mangled.
    package let symbol: String
    /// The id of the module that it is of.
    package let module: String
}
