// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesCatalog
import EavesDeclaration
import EavesELF
import EavesLoader

// The requirements of protocols, as a module implements them and as its interfaces have them at present.
extension InspectedModule {
    /// The types of the module implement every requirement that has no default of the protocols that they conform
    /// to. A version says nothing about that if its author changed an interface and left its version as it was.
    func checkRequirements() throws(ELFError) -> RuleOutcome {
        if case .interfaces(let all) = entry.problem {
            let problems = all.filter(\.isAboutRequirements)
            if !problems.isEmpty { return .broken(.catalog(.interfaces(problems))) }
        }
        var problems: [InterfaceProblem] = []
        let conformances = try conformances()
        for interface in usedInterfaces {
            let prefix = SwiftSymbols.prefix(of: interface.module)
            let lacking = conformances.filter { $0.protocolSymbol.hasPrefix(prefix) }
                .flatMap { requirements(lackingIn: $0, of: interface) }
            guard !lacking.isEmpty else { continue }
            problems.append(
                .otherRequirements(
                    interface.id ?? interface.module, lacking: Set(lacking).sorted(), gone: [],
                    path: path(of: interface)))
        }
        return problems.isEmpty ? .kept : .broken(.catalog(.interfaces(problems)))
    }

    /// The conformances of the module's types to protocols of the interfaces that it names.
    private func conformances() throws(ELFError) -> [SwiftConformance] {
        let file = try openedBinary()
        let prefixes = usedInterfaces.map { SwiftSymbols.prefix(of: $0.module) }
        return try file.swiftConformances(of: file.dynamicSection(), toProtocolsWith: prefixes)
    }

    /// The interface that the process has goes before the file, which need not be loaded yet.
    private func requirements(
        lackingIn conformance: SwiftConformance, of interface: UsedInterface
    ) -> [String] {
        let symbol = conformance.protocolSymbol
        return HostSymbols.requirements(of: symbol, lackingIn: conformance.requirements)
            ?? interface.id.flatMap(interfaceProtocols)?[symbol]?
            .requirements(lackingIn: conformance) ?? []
    }

    /// The path of the interface's file; `nil` for one that the program has linked in.
    private func path(of interface: UsedInterface) -> String? {
        guard case .module(let entry)? = interface.id.flatMap({ catalog?.interface($0) }) else {
            return nil
        }
        return entry.path
    }
}
