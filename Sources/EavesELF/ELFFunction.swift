// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

/// A place in a function, as the tables of symbols tell it.
package struct ELFFunction: Hashable, Sendable {
    /// Mangled.
    package let name: String
    /// How far from the function's beginning, in bytes.
    package let offset: UInt64
}
