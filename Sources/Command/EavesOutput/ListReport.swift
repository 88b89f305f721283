// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import CEavesSystem
package import EavesCatalog
import EavesDeclaration
package import EavesDiagnostics
package import EavesJSON
package import EavesManifest
import Glibc

/// A question to `eaves list`: the parts, and the modules that a person wants to see.
package struct ListQuestion: Sendable {
    package enum Part: Sendable {
        case features, modules, services
    }

    /// The parts that were asked for; all if none was.
    package var parts: Set<Part> = []
    /// A pattern of the shell for the name of a feature, a module or a service, or a part of the name.
    let pattern: String?
    package var state: ModuleState?
    /// A service that a module provides.
    let service: String?

    package init(pattern: String?, service: String?) {
        self.pattern = pattern
        self.service = service
    }

    /// Whether some modules may not be shown.
    var selects: Bool { pattern != nil || state != nil || service != nil }

    fileprivate func asks(for part: Part) -> Bool { parts.isEmpty || parts.contains(part) }

    /// Whether a name is like the pattern, in capitals or not.
    fileprivate func fits(_ names: String...) -> Bool {
        guard let pattern else { return true }
        let isWhole = pattern.utf8.contains { "*?[".utf8.contains($0) }
        let whole = (isWhole ? pattern : "*\(pattern)*").lowercased()
        return names.contains { fnmatch(whole, $0.lowercased(), 0) == 0 }
    }
}

package struct ListAnswer {
    /// `nil` if they were not asked for, as the members below.
    let features: [CatalogFeature]?
    let modules: [ListedModule]?
    let bindings: [Binding]?
    /// Each service that a module provides or the manifest binds; `nil` unless services alone were asked for.
    let services: [ListedService]?
    /// Whether the catalog has no module at all.
    let isOfNothing: Bool
    /// The modules that are shown, or whose features or services are.
    private let chosen: [CatalogEntry]
    private let manifest: Manifest

    /// The problems of these modules, those that several modules share only once.
    package var moduleDiagnostics: [Diagnostic] {
        chosen.mergedDiagnostics + chosen.compactMap(\.standInWarning)
    }

    package init(_ question: ListQuestion, _ catalog: Catalog, _ manifest: Manifest) {
        let (entries, names) = (catalog.entries, catalog.services)
        let all = entries.map { entry in
            ListedModule(
                entry: entry, provides: entry.listedServices(names),
                requires: entry.listedRequirements(names))
        }
        let modules = all.filter { module in
            if let state = question.state, module.entry.state != state { return false }
            guard let service = question.service else { return true }
            return module.provides.contains { ServiceName.agree($0, service) }
        }
        var (shown, features) = (modules, catalog.features)
        if question.selects {
            let candidates = Set(modules.map(\.entry.id))
            shown = modules.filter { question.fits($0.entry.id) }
            features = features.filter {
                candidates.contains($0.module) && question.fits($0.declaration.name, $0.module)
            }
        }
        // A service has no state: it is shown if a module in that state provides it.
        let services =
            !question.selects && !question.parts.contains(.services)
            ? []
            : ListedService.all(providedBy: modules, manifest).filter { service in
                question.fits(service.name)
                    && (!service.providers.isEmpty || question.state == nil)
                    && (question.service.map { ServiceName.agree(service.service, $0) } ?? true)
            }
        self.features = question.asks(for: .features) ? features : nil
        self.modules = question.asks(for: .modules) ? shown : nil
        self.services = question.parts.contains(.services) ? services : nil
        let bound = Set(services.map(\.name))
        let bindings = manifest.bindings.filter { !question.selects || bound.contains($0.key.text) }
        self.bindings = question.asks(for: .services) ? bindings : nil
        isOfNothing = entries.isEmpty
        self.manifest = manifest
        let ids = Set(
            (self.modules ?? []).map(\.entry.id) + (self.features ?? []).map(\.module)
                + (self.services ?? []).flatMap(\.providers))
        chosen = entries.filter { !question.selects || ids.contains($0.id) }
    }
}

struct ListedModule {
    let entry: CatalogEntry
    /// The services that it provides, each once.
    let provides: [String]
    let requires: [String]

    /// The module's problem in words; `nil` if it has none.
    var problem: String? {
        entry.problem == nil
            ? entry.standInWarning?.message
            : entry.diagnostics.map(\.message).joined(separator: "; ")
    }
}

struct ListedService {
    /// The name as people write it: `UserService`, or `UserService#v2` for one that the manifest binds by a name of its
    /// own.
    let name: String
    /// The name without that of an implementation.
    let service: String
    /// The ids of the modules that provide it, in the order of the list.
    let providers: [String]
    /// The binding in the manifest; `nil` if there is none.
    let binding: Binding?

    /// Returns all services that modules provide or the manifest binds, sorted by name.
    static func all(providedBy modules: [ListedModule], _ manifest: Manifest) -> [ListedService] {
        var providers: [String: [String]] = [:]
        for module in modules {
            for service in module.provides {
                providers[service, default: []].append(module.entry.id)
            }
        }
        var bound: Set<String> = []
        let services = manifest.bindings.map { binding in
            let meant = providers.keys.filter { ServiceName.agree($0, binding.service) }
            if binding.key.name == nil { bound.formUnion(meant) }
            return ListedService(
                name: binding.key.text, service: binding.service,
                providers: modules.map(\.entry.id)
                    .filter { id in meant.contains { providers[$0]?.contains(id) == true } },
                binding: binding)
        }
        let others = providers.filter { !bound.contains($0.key) }.map {
            ListedService(name: $0.key, service: $0.key, providers: $0.value, binding: nil)
        }
        return (services + others).sorted { $0.name < $1.name }
    }
}

extension ListAnswer {
    /// The output of `eaves list` for people: up to three tables of features, modules, and services.
    package func text(_ style: PageStyle) -> String {
        let tables = [
            features.map(table), modules.map(table), services.map(table) ?? bindings.map(table),
        ].compactMap(\.self).filter { !$0.rows.isEmpty }
        if tables.isEmpty { return isOfNothing ? "no modules\n" : "no matches\n" }
        return tables.map { $0.text(style) }.joined(separator: "\n")
    }

    private func table(_ features: [CatalogFeature]) -> Table {
        let rows = features.map { feature in
            [
                feature.declaration.name, feature.module, feature.state.rawValue,
                feature.declaration.summary,
            ]
        }
        return Table(
            ["FEATURE", "MODULE", Self.state, Table.Column("SUMMARY", .isCut)],
            rows: rows.sortedForPeople)
    }

    private func table(_ modules: [ListedModule]) -> Table {
        // Most manifests pin no module, and need no column for it.
        let showsPins = modules.contains { $0.entry.sha256 != nil }
        let rows = modules.map { module in
            [
                module.entry.id, module.entry.declaration?.version ?? "-",
                module.entry.state.rawValue,
            ] + (showsPins ? [module.entry.sha256 == nil ? "-" : "yes"] : [])
                + [module.provides.cell, module.requires.cell, module.entry.path]
        }
        return Table(
            ["MODULE", "VERSION", Self.state] + (showsPins ? ["PINNED"] : []) + [
                Table.Column("PROVIDES", .isCut), Table.Column("REQUIRES", .isCut),
                Table.Column("FILE", .isLeftOut),
            ], rows: rows.sortedForPeople)
    }

    private func table(_ bindings: [Binding]) -> Table {
        // Most manifests have no weights, and need no column for what they choose.
        let showsChoice = bindings.contains { $0.weights != nil }
        return Table(
            ["SERVICE", "BOUND TO"] + (showsChoice ? ["CHOSEN"] : []),
            rows: bindings.map {
                [$0.key.text, $0.words] + (showsChoice ? [manifest.chosenWords($0)] : [])
            })
    }

    private func table(_ services: [ListedService]) -> Table {
        let showsChoice = services.contains { $0.binding?.weights != nil }
        return Table(
            [
                "SERVICE", Table.Column("PROVIDED BY", .isCut), Table.Column("BOUND TO", .isCut),
            ] + (showsChoice ? ["CHOSEN"] : []),
            rows: services.map { service in
                [
                    service.name, service.providers.cell,
                    service.binding?.words ?? "-",
                ] + (showsChoice ? [service.binding.map(manifest.chosenWords) ?? "-"] : [])
            })
    }

    private static let state = Table.Column("STATE") { state in
        switch ModuleState(rawValue: state) {
        case .ready: "32"
        case .disabled: "2"
        case .missing: "33"
        case .invalid, .incompatible, .untrusted, .quarantined: "31"
        case nil: nil
        }
    }
}

extension [[String]] {
    /// The rows sorted by their texts, with numbers in them in the order of the numbers: `users-9` before `users-10`.
    fileprivate var sortedForPeople: Self {
        ordered { left, right in
            for (left, right) in zip(left, right) where left != right {
                return strverscmp(left, right) < 0
            }
            return false
        }
    }
}

extension [String] {
    /// The words in one cell of a table.
    fileprivate var cell: String { isEmpty ? "-" : joined(separator: ", ") }
}

extension Manifest {
    fileprivate func chosenWords(_ binding: Binding) -> String {
        guard let choice = chosen[binding.key] else { return "-" }
        return switch choice.reason {
        case .chance where binding.weights?.drawsEachCall == true: "at each call"
        case .chance: "by each process"
        case .noValue: "\(choice.module), without a \(binding.weights?.key ?? "")"
        case .bound, .value, .call, .demanded: choice.module
        }
    }

    fileprivate func member(_ binding: Binding) -> JSON.Member {
        let value: JSON
        switch binding.target {
        case .module(let module): value = .string(module)
        case .weights(let weights):
            let choice = chosen[binding.key]
            value = [
                "weights": .object(
                    weights.shares.map {
                        JSON.Member(name: $0.module, value: .integer($0.weight))
                    }),
                "by": .text(weights.key),
                // Each process draws for itself.
                "chosen": .text(choice?.reason == .chance ? nil : choice?.module),
                "reason": .text(choice?.reason.rawValue),
            ]
        }
        return JSON.Member(name: binding.key.text, value: value)
    }
}

extension ListAnswer {
    /// The output of `eaves list --json`. This file alone says which members it has.
    package var json: JSON {
        // The object leaves out the parts that the person did not ask for: an empty array would be an answer.
        .object(present: [
            "schema": .integer(1), "features": features.map { .array($0.map(\.json)) },
            "modules": modules.map { .array($0.map(\.json)) },
            "services": services.map { .array($0.map(\.json)) },
            "bindings": bindings.map { .object($0.map(manifest.member)) },
        ])
    }
}

extension CatalogFeature {
    fileprivate var json: JSON {
        [
            "name": .string(declaration.name), "summary": .string(declaration.summary),
            "module": .string(module), "state": .string(state.rawValue),
        ]
    }
}

extension ListedModule {
    fileprivate var json: JSON {
        [
            "id": .string(entry.id), "version": .text(entry.declaration?.version),
            "path": .string(entry.path), "state": .string(entry.state.rawValue),
            "problem": .text(problem), "provides": .texts(provides),
            "requires": .texts(requires), "pinned": .bool(entry.sha256 != nil),
        ]
    }
}

extension ListedService {
    fileprivate var json: JSON {
        ["service": .string(name), "providers": .texts(providers)]
    }
}
