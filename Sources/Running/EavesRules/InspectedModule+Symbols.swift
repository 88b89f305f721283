// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesCatalog
import EavesDeclaration
import EavesELF
import EavesLoader
import EavesSystem

// The entry point, and the symbols of the interface, of other modules, of the host and its libraries.
extension InspectedModule {
    func checkSymbolsOfModules() throws(ELFError) -> RuleOutcome {
        let unnamed = try unnamedInterfaces.get().map(\.id)
        let foreign = try foreignSymbols().filter { !unnamed.contains($0.module) }
        return foreign.isEmpty ? .kept : .broken(.usesModules(foreign))
    }

    /// The lacking symbols that another module has: its table of symbols defines them, or they begin
    /// with the name of its Swift module.
    private func foreignSymbols() throws(ELFError) -> [ForeignSymbol] {
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
    private func lackingSymbols() throws(ELFError) -> [String]? {
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
                && !report.needed.contains {
                    HostLibraries.loaded($0, defines: symbol.name) == true
                }
        }.map(\.name)
    }
}

extension String {
    /// `usersv2` of both `users-v2` and `UsersV2`.
    fileprivate var lettersAndDigits: String {
        String(
            lowercased().unicodeScalars.filter {
                $0.properties.isAlphabetic || ("0"..."9").contains($0)
            })
    }
}

// The services and interfaces of other modules that a binary uses, declared or not.
extension InspectedModule {
    func checkLayer() throws(ELFError) -> RuleOutcome {
        switch entry.problem {
        case .layer(let needs): return .broken(.catalog(.layer(needs)))
        case .interfaces(let problems) where problems.contains(where: \.isAboutOwner):
            return .broken(.catalog(.interfaces(problems.filter(\.isAboutOwner))))
        default: break
        }
        let owned = try unnamedInterfaces.get().filter { $0.owner != nil }
        let needs = try upwardNeeds()
        return owned.isEmpty && needs.isEmpty
            ? .kept : .broken(.usesUpperLayers(needs, interfaces: owned))
    }

    /// Whether the layers of other modules decide whether this one may use what it uses: those of a launch alone are looked at.
    func dependsOnUpperLayers(_ report: BinaryReport) -> Bool {
        guard let declaration = entry.declaration, declaration.layer == .core else { return false }
        return !services(in: report).allSatisfy {
            declaration.provides($0) || $0.hasPrefix(InterfaceStamp.hostModule + ".")
        }
    }

    /// The services that a core module uses and that only features or compositions provide.
    private func upwardNeeds() throws(ELFError) -> [UpwardNeed] {
        guard let catalog, let declaration = entry.declaration, declaration.layer == .core else {
            return []
        }
        let services = services(in: try report)
        let rule = LayerRule(among: services.flatMap { catalog.modules(providing: $0) })
        return rule.upwardNeeds(of: declaration, using: services) {
            catalog.isOwn($0, of: declaration)
        }
    }

    func checkDeclaredNeeds() -> RuleOutcome {
        let services = undeclaredServices
        return services.isEmpty ? .kept : .broken(.undeclaredServices(services))
    }

    /// The services of other modules that it uses and that its `requires` does not name, so that a
    /// launch does not know of them in advance. Empty if the binary cannot be read, and for an interface module, whose
    /// protocols may inherit others.
    package var undeclaredServices: [String] {
        guard let catalog, !isInterface, let declaration = entry.declaration,
            case .success(let report) = binary
        else { return [] }
        let rule = LayerRule(among: catalog.entries)
        return services(in: report).filter {
            !declaration.requires($0) && !declaration.provides($0) && rule.isProvided($0)
        }.map(ServiceName.word)
    }

    /// Whether a symbol belongs to an interface, also to one that the module does not name.
    private func isOfAnyInterface(_ symbol: String) -> Bool {
        guard let module = SwiftSymbols.module(of: symbol) else { return false }
        return usedInterfaces.contains { $0.module == module }
            || catalog?.interface(ofSwift: module) != nil
    }

    /// The protocols of interfaces that a binary refers to, qualified and sorted: code that asks for a
    /// service, or implements one, refers to its protocol.
    private func services(in report: BinaryReport) -> [String] {
        let introduction = "protocol descriptor for "
        return report.undefinedNames(startingWith: "$s")
            .filter { SwiftSymbols.isProtocolDescriptor($0) && isOfAnyInterface($0) }
            .map(SymbolName.demangled).filter { $0.hasPrefix(introduction) }
            .map { String($0.dropFirst(introduction.count)) }.sorted()
    }
}
