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
    /// The ids of the modules that have it, or of the others if one is spoken of. Sorted.
    package fileprivate(set) var modules: [String]
    /// A type that all of them define. Mangled.
    package let type: String
    /// The id of the one among them that is an interface module; `nil` if none is.
    package let interface: String?

    /// The packages that several modules have linked in. Reads the symbols of each module once. Sorted by Swift module.
    package static func all(among modules: [CatalogEntry]) -> [SharedCode] {
        all(among: modules.map { ($0, types(in: try? BinaryReport(of: $0.file))) })
    }

    /// - Parameter report: `nil` for a file that cannot be read, which has a problem of its own.
    fileprivate static func types(in report: BinaryReport?) -> Set<String> {
        Set(report?.definedNames().filter(SwiftSymbols.isTypeDescriptor) ?? [])
    }

    /// - Parameter modules: With the types that they define.
    fileprivate static func all(
        among modules: [(entry: CatalogEntry, types: Set<String>)]
    ) -> [SharedCode] {
        var holders: [String: [Int]] = [:]
        for (index, module) in modules.enumerated() {
            for name in module.types { holders[name, default: []].append(index) }
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
            let entries = found.modules.sorted().map { modules[$0].entry }
            return SharedCode(
                swiftModule: module, modules: entries.map(\.id).sorted(), type: found.type,
                interface: entries.first { $0.declaration?.layer == .interface }?.id)
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
    package init(_ code: SharedCode) {
        self.init(
            "\(code.modules.map { "'\($0)'" }.abridged(by: ", ")) each carry the Swift module '\(code.swiftModule)': "
                + code.consequence,
            fix: code.fix, code: .incompatible)
    }
}

// Packages that several modules have linked in.
extension InspectedModule {
    /// No type is defined by this module and by another one. The two would be two types at run time: a
    /// cast from one to the other fails, and each copy has global variables of its own.
    func checkSharedCode() throws(ELFError) -> RuleOutcome {
        let own = SharedCode.types(in: try report)
        guard !own.isEmpty else { return .kept }
        let named = Set(entry.declaration?.interfaces.map(\.id) ?? [])
        // A rule of its own refuses a copy of an interface that the module names.
        let others = others.filter { !named.contains($0.id) }.map { other in
            (other, SharedCode.types(in: try? BinaryReport(of: other.file)).intersection(own))
        }
        let shared = SharedCode.all(among: [(entry, own)] + others).map { code in
            var code = code
            code.modules.removeAll { $0 == entry.id }
            return code
        }
        return shared.isEmpty ? .kept : .broken(.sharesCode(shared))
    }
}

// Definitions of which a process has one.
extension InspectedModule {
    func checkProcessWideDefinitions() -> RuleOutcome {
        let own = processWideDefinitions
        guard !own.isEmpty else { return .kept }
        var shared: Set<ProcessWideDefinition> = []
        let others = others.filter { other in
            guard other.state == .ready else { return false }
            let inspected = InspectedModule(other, among: nil, in: manifest, host: host)
            let both = Set(own).intersection(inspected.processWideDefinitions)
            shared.formUnion(both)
            return !both.isEmpty
        }
        // A process loads an interface once.
        if isInterface, others.isEmpty { return .kept }
        return .broken(
            .processWide(
                others.isEmpty ? own : own.filter(shared.contains), besides: others.map(\.id)))
    }

    /// The warnings of `eaves validate` about this module, each with the id of its rule: about definitions that the next
    /// build, or another module, would meet, and about services that it uses and does not declare.
    package var warnings: [(String, Diagnostic)] {
        [("process-wide", checkProcessWideDefinitions()), ("declared-needs", checkDeclaredNeeds())]
            .flatMap { id, outcome in diagnostics(of: outcome).map { (id, $0) } }
    }

    /// The warnings of `eaves build` about symbols that neither this host nor a library has, as a launch tells it.
    package var symbolWarnings: [Diagnostic] { (try? diagnostics(of: checkSymbols())) ?? [] }

    private func diagnostics(of outcome: RuleOutcome) -> [Diagnostic] {
        guard case .broken(let problem) = outcome else { return [] }
        return BinaryError(entry, [problem]).diagnostics
    }
}
