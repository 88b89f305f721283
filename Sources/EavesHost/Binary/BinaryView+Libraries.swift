// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesELF
import EavesCatalog
import EavesLoader
import EavesSystem

extension BinaryView {
    /// All libraries have to be there, also those that libraries need.
    package func libraryProblem() -> BinaryFault? {
        let linked = Set(linkedModules().map(\.library))
        let missing = libraries.missing.filter { !linked.contains($0.name) }
        guard !missing.isEmpty else { return nil }
        let folder = Path.parent(of: entry.file)
        let beside = missing.map(\.name).filter {
            (try? FileStatus(path: Path.join(folder, $0))) != nil
        }
        return .missingLibraries(missing, beside: beside)
    }

    /// The symbols that neither the host nor a library has, but for weak ones and the interface's.
    /// It costs more than the other checks, and the dynamic linker does it again.
    ///
    /// `nil` if that cannot be known, because not all libraries were found.
    func lackingSymbols() -> [String]? {
        guard libraries.isCertain, libraries.missing.isEmpty else { return nil }
        var defined: Set<String> = []
        for library in libraries.found {
            guard let report = try? BinaryReport(of: library.file) else { return nil }
            defined.formUnion(report.definedNames())
        }
        return report.symbols.filter { symbol in
            !symbol.isDefined && !symbol.isWeak && !defined.contains(symbol.name)
                && !symbol.name.hasPrefix(Self.interfacePrefix)
                && !HostSymbols.has(symbol.name)
                && !report.needed.contains { HostLibraries.library($0, defines: symbol.name) }
        }.map(\.name)
    }

    /// Each symbol has to be of the host or of a library.
    package func symbolProblem() -> BinaryFault? {
        let foreign = Set(foreignSymbols().map(\.symbol))
        let lacking = lackingSymbols()?.filter { !foreign.contains($0) } ?? []
        return lacking.isEmpty ? nil : .lacksSymbols(lacking)
    }
}
