// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesDeclaration
import EavesCatalog
import EavesELF
import EavesLoader
import EavesSystem

// The services and interfaces of other modules that a binary uses, declared or not.
extension InspectedModule {
    /// The module keeps the rule of direction, in what it declares and in what it uses without declaring it.
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
    /// launch does not know of them in advance. Empty if the binary cannot be read.
    package var undeclaredServices: [String] {
        guard let catalog, let declaration = entry.declaration, case .success(let report) = binary
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
