// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesCatalog
import EavesDeclaration

// Modules that no feature reaches, and services that are never needed.
extension Wiring {
    func deadImplementations(
        _ reach: Reach
    ) -> (findings: [AuditFinding], alternatives: [String]) {
        var findings: [AuditFinding] = []
        var alternatives: [String] = []
        for module in activeModules where !module.isInterface {
            let others = module.provides.filter { isAlternative($0, of: module, reach) }
            alternatives += others.map { alternative($0, of: module) }
            if reach.modules.contains(module.id) {
                findings += module.provides
                    .filter { !others.contains($0) && isDead($0, of: module, reach) }
                    .map { unneeded($0, of: module) }
            } else if others.isEmpty, module.provides.allSatisfy({ !$0.isRoute }) {
                findings.append(unreached(module))
            }
        }
        return (findings, alternatives)
    }

    /// Whether the service is needed, and another module or the program is chosen for it at present.
    private func isAlternative(
        _ provision: Provision, of module: WiredModule, _ reach: Reach
    ) -> Bool {
        guard provision.name == nil, reach.services.contains(provision.service) else {
            return false
        }
        return !choice(of: provision.service).candidates.contains(module.id)
            && !namedChoices(of: provision.service).contains(module.id)
    }

    private func isDead(_ provision: Provision, of module: WiredModule, _ reach: Reach) -> Bool {
        // A route has a finding of its own; a factory belongs to its route, which is a protocol or another type.
        if reach.services.contains(provision.service) || provision.isRoute { return false }
        guard let route = RouteRule.route(to: provision.service) else { return true }
        return !activeModules.contains { $0.isInterface && $0.mentions?.mentions(route) == true }
    }

    private func alternative(_ provision: Provision, of module: WiredModule) -> String {
        let service = names.shown(provision.service)
        let reason =
            switch choice(of: provision.service) {
            case .host: "which the program itself provides"
            case .modules(let ids): "which is bound to \(ids.joined(separator: " and "))"
            case .named: "which others provide under names alone"
            case .missing, .ambiguous: "for which no module is chosen"
            }
        return "\(module.id) also provides \(service), \(reason)"
    }

    private func unneeded(_ provision: Provision, of module: WiredModule) -> AuditFinding {
        let service = names.shown(provision.service)
        let words = service + (provision.name.map { " named '\($0)'" } ?? "")
        return AuditFinding(
            kind: .service, place: place(of: module, "provides"),
            message: "\(module.id) provides \(words), and " + askers(of: provision.service),
            fix: "take it out of 'provides' and out of the code, or ask for it in a feature")
    }

    /// Returns words for the modules that ask for a service, of those that no feature reaches.
    private func askers(of service: String) -> String {
        let ids = activeModules.filter { $0.needs.contains(service) }.map(\.id)
        return ids.isEmpty
            ? "no module asks for it"
            : "only \(ids.joined(separator: " and ")) asks for it, which no feature reaches"
    }

    private func unreached(_ module: WiredModule) -> AuditFinding {
        let services = Set(module.provides.map(\.service)).sorted()
        let words = services.map(names.shown).joined(separator: ", ")
        return AuditFinding(
            kind: .module, place: place(of: module),
            message: services.isEmpty
                ? "\(module.id) offers no feature, and provides no service"
                : "\(module.id) offers no feature, and no feature leads to what it provides: \(words)",
            fix: "remove it, or ask for its services in a feature; "
                + "'eaves disable \(module.id)' keeps the file")
    }
}
