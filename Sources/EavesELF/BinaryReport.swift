// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

/// All that a shared object's binary says, read on demand: it costs more than the catalog's checks.
package struct BinaryReport: Hashable, Sendable {
    package let machine: ELFMachine
    package let soname: String?
    /// The libraries that it is linked to, in order.
    package let needed: [String]
    /// Where it wants them to be searched, the older way (`DT_RPATH`), with colons between.
    package let rpath: String?
    /// Where it wants them to be searched (`DT_RUNPATH`), with colons between.
    package let runpath: String?
    /// The dynamic symbols, in the order of the file.
    package let symbols: [ELFSymbol]

    package init(_ elf: borrowing ELFFile) throws(ELFError) {
        let dynamic = try elf.dynamicSection()
        machine = elf.header.machine
        soname = dynamic.soname
        needed = dynamic.needed
        rpath = dynamic.rpath
        runpath = dynamic.runpath
        symbols = try elf.symbols(of: dynamic)
    }

    package init(of path: String) throws(ELFError) {
        try self.init(ELFFile(path))
    }

    /// Whether the binary exports a function of this name. Data of this name does not count.
    package func defines(function name: String) -> Bool {
        symbols.contains { $0.name == name && $0.isDefined && $0.kind == .function }
    }

    /// The names of what it defines, of those that start with `prefix`.
    package func definedNames(startingWith prefix: String = "") -> [String] {
        symbols.filter { $0.isDefined && $0.name.hasPrefix(prefix) }.map(\.name)
    }

    /// The names of what it wants of others, of those that start with `prefix`.
    package func undefinedNames(startingWith prefix: String = "") -> [String] {
        symbols.filter { !$0.isDefined && $0.name.hasPrefix(prefix) }.map(\.name)
    }
}
