// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesDeclaration
import EavesELF
import EavesCatalog
import EavesLoader
import EavesSystem

extension BinaryView {
    /// A module is linked to no other module, nor is a library that comes with it.
    package func linkProblem() -> BinaryFault? {
        let linked = linkedModules()
        return linked.isEmpty ? nil : .linksModules(linked)
    }

    /// A module uses no symbol of another module.
    package func foreignSymbolProblem() -> BinaryFault? {
        let foreign = foreignSymbols()
        return foreign.isEmpty ? nil : .usesModules(foreign)
    }

    /// A core module uses no service that only features provide, declared or not.
    package func layerProblem() -> BinaryFault? {
        guard let catalog, entry.declaration?.layer == .core else { return nil }
        let services = usedServices
        let rule = LayerRule(among: services.flatMap { catalog.modules(providing: $0) })
        let needs = rule.upwardNeeds(of: entry, using: services)
        return needs.isEmpty ? nil : .usesFeatures(needs)
    }

    /// The services of other modules that it uses, and that its `requires` does not name. The
    /// earlier checks of a launch know nothing of them.
    package func undeclaredServices() -> [String] {
        guard let catalog, let declaration = entry.declaration else { return [] }
        let rule = LayerRule(among: catalog.entries)
        return usedServices.filter {
            !declaration.requires.contains($0) && !declaration.provides($0) && rule.isProvided($0)
        }
    }

    /// The protocols of the interface that the binary refers to, sorted: whoever asks for a service,
    /// or implements one, names its protocol.
    package var usedServices: [String] {
        let introduction = "protocol descriptor for EavesInterface."
        return report.undefinedNames(startingWith: Self.interfacePrefix)
            .filter { $0.hasSuffix("Mp") }.map(HostSymbols.demangled)
            .filter { $0.hasPrefix(introduction) }
            .map { String($0.dropFirst(introduction.count)) }.sorted()
    }

    /// What a library is that the process has, is told by its entry point; what is on the disk, by
    /// its note; what is not there, by the names that other modules have.
    func linkedModules() -> [LinkedModule] {
        let behind = libraries.found.map(\.name).filter { !report.needed.contains($0) }
        return (report.needed + behind).compactMap { name in
            if Self.isVetted(name) { return nil }
            if HostLibraries.has(name) {
                if HostLibraries.library(name, defines: BinaryReport.entryName) {
                    return LinkedModule(library: name, module: module(named: name)?.id)
                }
                Self.vet(name)
                return nil
            }
            if let found = libraries.found.first(where: { $0.name == name }) {
                let content = ModuleFile(found.file)
                return content.tag.map { _ in
                    LinkedModule(library: name, module: content.note?.declaration.id)
                }
            }
            return module(named: name).map { LinkedModule(library: name, module: $0.id) }
        }
    }

    /// The other module whose file has this name, or that calls itself so.
    private func module(named name: String) -> CatalogEntry? {
        others.first { Path.name(of: $0.file) == name }
            ?? others.first { (try? ELFFile($0.file).dynamicSection())?.soname == name }
    }

    private var others: [CatalogEntry] {
        catalog?.entries.filter { $0.note != nil && $0.id != entry.id } ?? []
    }

    /// Those symbols that nobody else has and that are another module's, by its table of symbols or
    /// by the name of its Swift module.
    func foreignSymbols() -> [ForeignSymbol] {
        guard let lacking = lackingSymbols(), !lacking.isEmpty else { return [] }
        var owners: [String: String] = [:]
        for other in others {
            guard let report = try? BinaryReport(of: other.file) else { continue }
            for name in report.definedNames() where owners[name] == nil { owners[name] = other.id }
        }
        return lacking.compactMap { symbol in
            let owner = owners[symbol] ?? swiftModule(of: symbol).flatMap(module(ofSwift:))?.id
            return owner.map { ForeignSymbol(symbol: symbol, module: $0) }
        }
    }

    /// `Login` of a symbol whose name begins as one of the Swift module `Login` does.
    private func swiftModule(of symbol: String) -> String? {
        guard symbol.hasPrefix("$s"), let digits = Int(symbol.dropFirst(2).prefix { $0.isNumber })
        else { return nil }
        let name = symbol.dropFirst(2).drop { $0.isNumber }.prefix(digits)
        return name.count == digits ? String(name) : nil
    }

    /// The module whose sources stand in a folder of that name, or whose id is the same word.
    private func module(ofSwift name: String) -> CatalogEntry? {
        others.first { $0.source.map(Path.name) == name }
            ?? others.first { $0.id.lettersAndDigits == name.lettersAndDigits }
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
