// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

/// The libraries that a shared object is linked to, and where it wants them to be searched.
package struct LinkedLibraries: Hashable, Sendable {
    /// The names, in order.
    package var needed: [String]
    /// `DT_RPATH`, whose entries hold for what these libraries need, too.
    package var rpath: String?
    /// `DT_RUNPATH`, which makes the dynamic linker ignore every `DT_RPATH`.
    package var runpath: String?
    /// The folder that `$ORIGIN` stands for; `nil` if that is not known.
    package var origin: String?

    /// - Parameter origin: The folder that the file is loaded from, which for a module is that of
    ///   its private copy.
    package init(_ report: BinaryReport, origin: String?) {
        needed = report.needed
        rpath = report.rpath
        runpath = report.runpath
        self.origin = origin
    }

    init(_ dynamic: ELFDynamicSection, origin: String?) {
        needed = dynamic.needed
        rpath = dynamic.rpath
        runpath = dynamic.runpath
        self.origin = origin
    }
}
