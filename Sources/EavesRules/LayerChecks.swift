// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesDeclaration
import EavesCatalog
import EavesELF
import EavesLoader

// The services of other modules that a binary uses, declared or not.
extension InspectedModule {
    /// A core module uses no service that only features provide, whether it declares that or not.
    func checkLayer() throws(ELFError) -> RuleOutcome {
        if case .layer(let needs) = entry.problem { return .broken(.catalog(.layer(needs))) }
        guard let catalog, entry.declaration?.layer == .core else { return .kept }
        let services = services(in: try report)
        let rule = LayerRule(among: services.flatMap { catalog.modules(providing: $0) })
        let needs = rule.upwardNeeds(of: entry.declaration, using: services)
        return needs.isEmpty ? .kept : .broken(.usesFeatures(needs))
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
            .map(HostSymbols.demangled).filter { $0.hasPrefix(introduction) }
            .map { String($0.dropFirst(introduction.count)) }.sorted()
    }
}
