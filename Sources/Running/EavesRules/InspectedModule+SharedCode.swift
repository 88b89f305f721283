// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

package import EavesCatalog
import EavesDeclaration
package import EavesDiagnostics
import EavesELF
import EavesSystem

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

    /// The packages that several modules have linked in, with the ids of all of these. Reads the symbols of each module once.
    /// Sorted by Swift module.
    package static func all(
        among modules: [CatalogEntry]
    ) -> [(ids: [String], code: SharedCode)] {
        var holders: [String: [Int]] = [:]
        for (index, module) in modules.enumerated() {
            // A file that cannot be read has a problem of its own.
            guard let report = try? BinaryReport(of: module.file) else { continue }
            for name in Set(report.definedNames().filter(SwiftSymbols.isTypeDescriptor)) {
                holders[name, default: []].append(index)
            }
        }
        var found: [String: (modules: Set<Int>, type: String)] = [:]
        for (name, all) in holders where all.count > 1 {
            guard let module = SwiftSymbols.module(of: name) else { continue }
            var entry = found[module] ?? ([], name)
            entry.modules.formUnion(all)
            entry.type = min(entry.type, name)
            found[module] = entry
        }
        return found.sorted { $0.key < $1.key }.map { module, found in
            let entries = found.modules.sorted().map { modules[$0] }
            let ids = entries.map(\.id).sorted()
            let interface = entries.first { $0.declaration?.layer == .interface }
            return (
                ids,
                SharedCode(
                    swiftModule: module, others: ids, type: found.type, interface: interface?.id)
            )
        }
    }

    /// Such as `its types, such as 'Formats.Degrees', are other types in each of them`.
    var consequence: String {
        "its types, such as '\(SymbolName.demangled(type).typeName)', are other types in each of them"
    }

    var fix: String {
        let start =
            "nothing is wrong as long as they keep these types to themselves; to pass them between modules, "
        guard let interface else {
            return start
                + "make a package of the layer 'interface' that depends on '\(swiftModule)', and "
                + "name it in \"interfaces\" of each"
        }
        return start
            + "name '\(interface)' in \"interfaces\" of each, and take the package out of each "
            + "Package.swift"
    }
}

extension Diagnostic {
    /// A warning about a package that several modules have linked in.
    package init(_ ids: [String], carrying code: SharedCode) {
        self.init(
            "\(ids.map { "'\($0)'" }.abridged(by: ", ")) each carry the Swift module '\(code.swiftModule)': "
                + code.consequence,
            fix: code.fix, code: .incompatible)
    }
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
