// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesDeclaration
import EavesCatalog
import EavesELF
import EavesLoader
import EavesSystem

// The entry point, and the symbols of the interface, of other modules, of the host and its libraries.
extension InspectedModule {
    /// A module uses no symbol of another module. That it uses an interface without naming it is a matter of
    /// other rules.
    func checkSymbolsOfModules() throws(ELFError) -> RuleOutcome {
        let unnamed = try unnamedInterfaces.get().map(\.id)
        let foreign = try foreignSymbols().filter { !unnamed.contains($0.module) }
        return foreign.isEmpty ? .kept : .broken(.usesModules(foreign))
    }

    /// The lacking symbols that another module has: its table of symbols defines them, or they begin
    /// with the name of its Swift module.
    func foreignSymbols() throws(ELFError) -> [ForeignSymbol] {
        guard let lacking = try lackingSymbols(), !lacking.isEmpty else { return [] }
        var owners: [String: String] = [:]
        for other in others {
            guard let report = try? BinaryReport(of: other.file) else { continue }
            for name in report.definedNames() where owners[name] == nil { owners[name] = other.id }
        }
        return lacking.compactMap { symbol in
            let owner =
                owners[symbol] ?? SwiftSymbols.module(of: symbol).flatMap(other(ofSwift:))?.id
            return owner.map { ForeignSymbol(symbol: symbol, module: $0) }
        }
    }

    /// The other module whose sources stand in a folder of this name, or whose id is the same word.
    private func other(ofSwift name: String) -> CatalogEntry? {
        others.first { $0.source.map(Path.name) == name }
            ?? others.first { $0.id.lettersAndDigits == name.lettersAndDigits }
    }

    /// Every symbol has to be one of the host or of a library. Symbols of other modules have a rule of
    /// their own.
    func checkSymbols() throws(ELFError) -> RuleOutcome {
        let foreign = Set(try foreignSymbols().map(\.symbol))
        let lacking = try lackingSymbols()?.filter { !foreign.contains($0) } ?? []
        return lacking.isEmpty ? .kept : .broken(.lacksSymbols(lacking))
    }

    /// The symbols that neither the host nor a library has, except weak ones and the interface's.
    ///
    /// This reads every library and costs more than the other checks.
    ///
    /// - Returns: `nil` if it cannot be known, because not all libraries were found.
    func lackingSymbols() throws(ELFError) -> [String]? {
        let report = try report
        guard libraries.isCertain, libraries.missing.isEmpty else { return nil }
        var defined: Set<String> = []
        for library in libraries.found {
            guard let report = try? BinaryReport(of: library.file) else { return nil }
            defined.formUnion(report.definedNames())
        }
        return report.symbols.filter { symbol in
            !symbol.isDefined && !symbol.isWeak && !defined.contains(symbol.name)
                && !isOfInterface(symbol.name)
                && !HostSymbols.has(symbol.name)
                && !report.needed.contains { HostLibraries.library($0, defines: symbol.name) }
        }.map(\.name)
    }
}

extension String {
    /// `usersv2` of both `users-v2` and `UsersV2`.
    fileprivate var lettersAndDigits: String {
        String(lowercased().unicodeScalars.filter { $0.properties.isAlphabetic || $0.isDigit })
    }
}

extension Unicode.Scalar {
    fileprivate var isDigit: Bool { ("0"..."9").contains(self) }
}
