// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesCatalog
import EavesDeclaration
import EavesELF

/// A Swift module of a package that several modules have linked in, each of them its own copy.
package struct SharedCode: Hashable, Sendable {
    /// Such as `Formats`.
    package let swiftModule: String
    /// The ids of the other modules that have it. Sorted.
    package let others: [String]
    /// A type that all of them define. Mangled.
    package let type: String
    /// The id of the one among them that is an interface module; `nil` if none is.
    package let interface: String?
}

// Packages that several modules have linked in.
extension InspectedModule {
    /// No type is defined by this module and by another one. The two would be two types at run time: a
    /// cast from one to the other fails, and each copy has global variables of its own.
    func checkSharedCode() throws(ELFError) -> RuleOutcome {
        let own = Set(try report.definedNames().filter(SwiftSymbols.isTypeDescriptor))
        guard !own.isEmpty else { return .kept }
        var found: [String: (others: Set<String>, type: String)] = [:]
        let named = Set(entry.declaration?.interfaces.map(\.id) ?? [])
        // A rule of its own refuses a copy of an interface that the module names.
        for other in others where !named.contains(other.id) {
            guard let report = try? BinaryReport(of: other.file) else { continue }
            for name in report.definedNames() where own.contains(name) {
                guard let module = SwiftSymbols.module(of: name) else { continue }
                var entry = found[module] ?? ([], name)
                entry.others.insert(other.id)
                entry.type = min(entry.type, name)
                found[module] = entry
            }
        }
        guard !found.isEmpty else { return .kept }
        let shared = found.sorted { $0.key < $1.key }
            .map { module, found in
                let interface = others.first {
                    found.others.contains($0.id) && $0.declaration?.layer == .interface
                }
                return SharedCode(
                    swiftModule: module, others: found.others.sorted(), type: found.type,
                    interface: interface?.id)
            }
        return .broken(.sharesCode(shared))
    }
}
