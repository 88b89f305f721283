// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

package import EavesCatalog
import EavesDeclaration
package import EavesDiagnostics
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
    /// The problems of these modules, those that several modules share only once.
    package var moduleDiagnostics: [Diagnostic] {
        chosen.mergedDiagnostics + chosen.compactMap(\.standInWarning)
    }

    package init(_ question: ListQuestion, _ catalog: Catalog, _ manifest: Manifest) {
        let (entries, names) = (catalog.entries, catalog.services)
        let all = entries.map { ListedModule($0, names) }
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
        guard question.selects else {
            chosen = entries
            return
        }
        let ids = Set(
            (self.modules ?? []).map(\.entry.id) + (self.features ?? []).map(\.module)
                + (self.services ?? []).flatMap(\.providers))
        chosen = entries.filter { ids.contains($0.id) }
    }
}

struct ListedModule {
    let entry: CatalogEntry
    /// The services that it provides, each once.
    let provides: [String]
    let requires: [String]

    init(_ entry: CatalogEntry, _ names: ServiceNames) {
        self.entry = entry
        provides = entry.listedServices(names)
        requires = entry.listedRequirements(names)
    }

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
