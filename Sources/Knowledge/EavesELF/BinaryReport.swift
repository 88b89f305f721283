// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

/// The libraries and the dynamic symbols of a shared object, as the dynamic linker would read them.
/// Reading them costs more than the catalog's checks, so it happens only where they are needed.
package struct BinaryReport: Hashable, Sendable {
    package let machine: ELFMachine
    /// The name by which other objects need this one (`DT_SONAME`).
    package let soname: String?
    /// The libraries that the object is linked to.
    package let libraries: LinkedLibraries
    /// Whether its symbols have versions, so that users of them find no other library's.
    package let hasVersions: Bool
    /// Whether loading the object makes the stacks of the process executable.
    package let wantsExecutableStack: Bool
    /// The dynamic symbols, in the order of the file.
    package let symbols: [ELFSymbol]

    /// Reads an open file.
    package init(_ elf: borrowing ELFFile) throws(ELFError) {
        let dynamic = try elf.dynamicSection()
        machine = elf.header.machine
        soname = dynamic.soname
        libraries = dynamic.libraries
        hasVersions = dynamic.value(of: .verdef) != nil
        wantsExecutableStack = elf.wantsExecutableStack
        symbols = try elf.symbols(of: dynamic)
    }

    /// Opens and reads a file.
    package init(of path: String) throws(ELFError) {
        try self.init(ELFFile(path))
    }

    /// The names of the libraries that the object is linked to, in order.
    package var needed: [String] { libraries.needed }

    /// Whether the object exports a function of this name. Data of this name does not count.
    package func defines(function name: String) -> Bool {
        symbols.contains { $0.name == name && $0.isDefined && $0.kind == .function }
    }

    /// The names of the defined symbols that start with `prefix`.
    package func definedNames(startingWith prefix: String = "") -> [String] {
        symbols.filter { $0.isDefined && $0.name.hasPrefix(prefix) }.map(\.name)
    }

    /// The names of the symbols that start with `prefix` and that other objects have to define.
    package func undefinedNames(startingWith prefix: String = "") -> [String] {
        symbols.filter { !$0.isDefined && $0.name.hasPrefix(prefix) }.map(\.name)
    }
}
