// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

package import EavesCatalog
import EavesDeclaration
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
    /// The state of a module.
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

/// The part of a listing that fits a question.
package struct ListAnswer {
    /// `nil` if they were not asked for, as the members below.
    let features: [ListedFeature]?
    let modules: [ListedModule]?
    let bindings: [Binding]?
    /// Each service that a module provides or the manifest binds; `nil` unless services alone were asked for.
    let services: [ListedService]?
    /// The modules that are shown, or whose features or services are; `nil` if all are.
    package let ids: Set<String>?

    package init(_ question: ListQuestion, _ listing: CatalogListing, _ manifest: Manifest) {
        // A thousand modules are listed without a string for each.
        guard question.selects || !question.parts.isEmpty else {
            features = listing.features
            modules = listing.modules
            bindings = manifest.bindings
            services = nil
            ids = nil
            return
        }
        let modules = listing.modules.filter { module in
            if let state = question.state, module.state != state { return false }
            guard let service = question.service else { return true }
            return listing.strings(module.provides).contains { ServiceName.agree($0, service) }
        }
        let candidates = Set(modules.map { listing.string($0.id) })
        let shown = modules.filter { question.fits(listing.string($0.id)) }
        let features = listing.features.filter { feature in
            let module = listing.string(feature.module)
            return candidates.contains(module)
                && question.fits(listing.string(feature.name), module)
        }
        // A service has no state: it is shown if a module in that state provides it.
        let services = ListedService.all(providedBy: modules, listing, manifest).filter { service in
            question.fits(service.name)
                && (!service.providers.isEmpty || question.state == nil)
                && (question.service.map { ServiceName.agree(service.service, $0) } ?? true)
        }
        var ids: Set<String> = []
        if question.asks(for: .modules) { ids.formUnion(shown.map { listing.string($0.id) }) }
        if question.asks(for: .features) {
            ids.formUnion(features.map { listing.string($0.module) })
        }
        if question.parts.contains(.services) { ids.formUnion(services.flatMap(\.providers)) }
        self.ids = question.selects ? ids : nil
        self.features = question.asks(for: .features) ? features : nil
        self.modules = question.asks(for: .modules) ? shown : nil
        self.services = question.parts.contains(.services) ? services : nil
        let names = Set(services.map(\.name))
        bindings =
            question.asks(for: .services)
            ? manifest.bindings.filter { names.contains($0.key.text) } : nil
    }
}

/// A service as a list shows it.
struct ListedService {
    /// As people write it: `UserService`, or `UserService#v2` for one that the manifest binds by a name of its own.
    let name: String
    /// The name without that of an implementation.
    let service: String
    /// The ids of the modules that provide it, in the order of the list.
    let providers: [String]
    /// The binding in the manifest; `nil` if there is none.
    let binding: Binding?

    /// All services that modules provide or the manifest binds, sorted by name.
    static func all(
        providedBy modules: [ListedModule], _ listing: CatalogListing, _ manifest: Manifest
    ) -> [ListedService] {
        var providers: [String: [String]] = [:]
        for module in modules {
            let id = listing.string(module.id)
            for service in listing.strings(module.provides) {
                providers[service, default: []].append(id)
            }
        }
        var bound: Set<String> = []
        let services = manifest.bindings.map { binding in
            let meant = providers.keys.filter { ServiceName.agree($0, binding.service) }
            if binding.key.name == nil { bound.formUnion(meant) }
            return ListedService(
                name: binding.key.text, service: binding.service,
                providers: modules.map { listing.string($0.id) }
                    .filter { id in meant.contains { providers[$0]?.contains(id) == true } },
                binding: binding)
        }
        let others = providers.filter { !bound.contains($0.key) }.map {
            ListedService(name: $0.key, service: $0.key, providers: $0.value, binding: nil)
        }
        return (services + others).sorted { $0.name < $1.name }
    }
}

extension CatalogListing {
    /// The texts of a list as strings.
    func strings(_ texts: ListedTexts) -> [String] {
        var strings: [String] = []
        forEach(texts) { strings.append(string($0)) }
        return strings
    }
}
