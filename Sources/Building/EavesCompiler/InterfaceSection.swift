// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

/// The section of an interface module's file that has its textual interface.
package enum InterfaceSection {
    package static let name = ".eaves_interface"
    /// The section with what a package brings besides, an object in JSON: textual interfaces of other Swift modules, and
    /// files of modules in C, by their names.
    package static let companions = ".eaves_companions"
    /// No interface is larger. In bytes.
    package static let sizeLimit = 16 << 20
}
