// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

package import EavesELF

extension BinaryReport {
    /// The function that every module exports: the host calls it to let the module register.
    package static let entryName = "eaves_register"

    /// Whether the binary defines the entry point of a module.
    package var hasEntry: Bool { defines(function: Self.entryName) }
}
