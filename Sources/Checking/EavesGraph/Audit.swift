// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesCatalog
import EavesDeclaration
import EavesDiagnostics
package import EavesJSON
import EavesManifest
import EavesSystem

/// Everything that is dead in an application. It would rather overlook something than call dead what is
/// alive: whatever the binaries may ask for counts as needed.
package struct Audit: Sendable {
    /// Sorted by kind, then by place.
    package let findings: [AuditFinding]
    /// Other implementations of services that are needed, which are not chosen at present. They are not
    /// dead: the manifest can choose them.
    package let alternatives: [String]
    /// The modules whose files cannot be read, so that the audit cannot know what they ask for. It judges neither
    /// services nor modules nor routes then.
    package let unreadModules: [String]
    /// The modules that are not built. All that they may ask for counts as needed: their `requires`, and what
    /// the interfaces declare that they name.
    package let unbuiltModules: [String]

    package init(_ wiring: Wiring) {
        let unread = wiring.unreadModules
        let reach = Reach(wiring)
        var findings =
            wiring.deadNeeds + wiring.deadBindings + wiring.deadEntries + wiring.unnamedInterfaces
        if unread.isEmpty { findings += wiring.unopenedRoutes(reach) }
        // Without a feature, a program that is not known here asks for the services.
        let hasFeatures = wiring.activeModules.contains { !$0.features.isEmpty }
        var alternatives: [String] = []
        if unread.isEmpty, hasFeatures {
            let dead = wiring.deadImplementations(reach)
            findings += dead.findings
            alternatives = dead.alternatives
        }
        self.findings = AuditFinding.Kind.allCases.flatMap { kind in
            findings.filter { $0.kind == kind }
                .sorted { ($0.place, $0.message) < ($1.place, $1.message) }
        }
        self.alternatives = alternatives.sorted()
        unreadModules = unread
        unbuiltModules = wiring.unbuiltModules
    }
}

extension Wiring {
    /// The place of a module for messages: its `module.json` if its sources are here, or else its file.
    func place(of module: WiredModule, _ key: String = "") -> String {
        let file =
            module.entry.source.map {
                manifest.shown(Path.join($0, ModuleDeclaration.fileName))
            } ?? module.entry.path
        return key.isEmpty ? file : "\(file): \(key)"
    }
}

/// Something in an application that is dead: nothing would change if it were gone.
package struct AuditFinding: Hashable, Sendable {
    /// The kinds of findings, in the order in which they are shown. Scripts rely on the names.
    package enum Kind: String, CaseIterable, Sendable {
        case service
        /// A module declares that it requires a service, and its binary never refers to it.
        case need
        /// A service is bound to a module that does not provide it, is switched off, or is not there.
        case binding
        case weight, module, route, entry, interface

        package var heading: String {
            switch self {
            case .service: "services that are never needed"
            case .need: "needs that are never resolved"
            case .binding: "bindings to nothing"
            case .weight: "weights without effect"
            case .module: "modules that no feature reaches"
            case .route: "routes that are never opened"
            case .entry: "manifest entries without effect"
            case .interface: "interface modules that are never named"
            }
        }
    }

    package let kind: Kind
    /// The file, and the place in it.
    package let place: String
    package let message: String
    package let fix: String

    /// - Parameter fix: A text with commands as in `'eaves build'`; see ``CommandName``.
    init(kind: Kind, place: String, message: String, fix: String) {
        self.kind = kind
        self.place = place
        self.message = message
        self.fix = CommandName.current.applied(to: fix)
    }

    package var json: JSON {
        [
            "kind": .string(kind.rawValue), "place": .string(place), "message": .string(message),
            "fix": .string(fix),
        ]
    }
}

/// The modules and services that the features of an application reach.
struct Reach {
    let modules: Set<String>
    /// The services that reached modules ask for, or that the program may ask for.
    let services: Set<String>

    /// Begins at each feature that a person can launch, at the modules that are not built, and at the services that
    /// these and the program itself may ask for.
    init(_ wiring: Wiring) {
        let active = wiring.activeModules
        let unseen = Set(active.flatMap { $0.provides.map(\.service) })
            .filter(wiring.mayBeUsedUnseen).sorted()
        let starts = active.filter { !$0.features.isEmpty || $0.isUnbuilt }
        let graph = NeedsGraph(
            from: starts + unseen.flatMap { wiring.providers(of: $0) }, id: \.id
        ) { module in
            let asksForAll = module.mentions?.asksForAll == true
            return module.needs.flatMap { wiring.reached(through: $0, all: asksForAll) }
                + wiring.servicesBehind(module).sorted().flatMap {
                    wiring.reached(through: $0, all: false)
                } + module.interfaces.compactMap(wiring.module)
        }
        modules = graph.ids
        services = graph.modules.reduce(into: Set(unseen)) { services, module in
            services.formUnion(module.needs)
            services.formUnion(wiring.servicesBehind(module))
        }
    }
}

extension Wiring {
    /// The modules that may answer for a service.
    fileprivate func reached(through service: String, all: Bool) -> [WiredModule] {
        // The names that are asked for cannot be known.
        let chosen = namedChoices(of: service).union(choice(of: service).candidates)
        return providers(of: service).filter { provider in
            all || chosen.contains(provider.id)
                || provider.provides.contains { $0.service == service && $0.name != nil }
        }
    }
}

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

// Bindings to nothing, weights and entries without effect.
extension Wiring {
    var deadBindings: [AuditFinding] {
        bindings.flatMap { binding in
            binding.modules.compactMap { id in
                let weight = binding.weights?.weight(of: id)
                guard let reason = reason(against: id, weight, of: binding) else { return nil }
                let service = binding.key.text
                return AuditFinding(
                    kind: weight == nil ? .binding : .weight,
                    place: "\(manifest.place(of: binding))",
                    message: "\(service) is bound to '\(id)', \(reason)",
                    fix: weight != nil
                        ? "take '\(id)' out of the weights of \(service)"
                        : "choose another module with 'eaves swap \(service) MODULE', or remove the binding"
                )
            }
        }
    }

    private func reason(against id: String, _ weight: Int?, of binding: Binding) -> String? {
        guard let module = module(id), !isNowhere(module) else {
            return "and there is no such module"
        }
        guard module.entry.isEnabled else { return "which is switched off" }
        // A file that cannot be read may well provide it; 'eaves list' says what is wrong with it.
        guard module.entry.declaration != nil else { return nil }
        guard
            services(of: binding).contains(where: { module.answers($0, boundAs: binding.key.name) })
        else {
            return "which does not provide it"
        }
        return weight == 0 ? "with the weight 0, so that it is never chosen" : nil
    }

    /// Whether there is neither a file nor a source of the module, only an entry of the manifest.
    private func isNowhere(_ module: WiredModule) -> Bool {
        module.entry.status == nil && module.entry.source == nil
    }

    // MARK: Entries

    var deadEntries: [AuditFinding] {
        manifest.modules.compactMap(finding) + deadDirectories + deadFeatures
    }

    private func finding(_ entry: ModuleEntry) -> AuditFinding? {
        let id = entry.id
        let (message, fix): (String, String)
        if let module = module(id), !isNowhere(module) {
            guard !entry.settings.isEmpty, module.mentions?.readsSettings == false else {
                return nil
            }
            message = "'\(id)' has settings, and its code never reads any"
            fix = "remove 'settings' from the entry, or read them in the module"
        } else {
            message = "the entry is about '\(id)', and there is no such module"
            fix = "remove the entry, or put the module into a directory of the manifest"
        }
        return AuditFinding(
            kind: .entry, place: "\(manifest.place(of: entry))", message: message, fix: fix)
    }

    private var deadDirectories: [AuditFinding] {
        guard manifest.namesDirectories else { return [] }
        return manifest.directories.enumerated().compactMap { index, name in
            let path = Path.absolute(name, from: manifest.directory)
            let reason: String
            do throws(SystemError) {
                let entries = try Folder(path).entries
                let holdsModules = entries.contains { entry in
                    entry.name.hasSuffix(".so")
                        || (try? FileStatus(
                            path: Path.join(
                                Path.join(path, entry.name), ModuleDeclaration.fileName))) != nil
                }
                if holdsModules { return nil }
                reason = "holds no module and no sources of one"
            } catch {
                guard error.errno.meansMissing else { return nil }
                reason = "does not exist"
            }
            return AuditFinding(
                kind: .entry, place: "\(manifest.place(ofDirectory: index))",
                message: "the directory '\(name)' \(reason)",
                fix: "take it out of 'directories', or put modules into it")
        }
    }

    private var deadFeatures: [AuditFinding] {
        guard unreadModules.isEmpty else { return [] }
        return [("launch", manifest.launch), ("open", manifest.open)].compactMap { key, feature in
            guard let feature,
                !activeModules.contains(where: { $0.features.contains { $0.name == feature } }),
                !program.provides(.feature(feature))
            else { return nil }
            return AuditFinding(
                kind: .entry,
                place: "\(ManifestPlace(path: manifest.path, keys: key))",
                message: "no module that is switched on offers the feature '\(feature)'",
                fix: "name a feature that 'eaves list' shows, or remove the key")
        }
    }
}

// Needs that are declared and never resolved, and routes that are never opened.
extension Wiring {
    /// The services that modules declare to require, and that their binaries never refer to.
    var deadNeeds: [AuditFinding] {
        let unbuilt = Set(unbuiltModules)
        return activeModules.flatMap { module -> [AuditFinding] in
            guard let mentions = module.mentions, !module.isInterface,
                interfaces(namedBy: [module]).isDisjoint(with: unbuilt)
            else { return [] }
            let behind = servicesBehind(module)
            return module.requires.filter { service in
                !mentions.mentions(service) && !behind.contains(service)
            }.map { service in
                let shown = names.shown(service)
                return AuditFinding(
                    kind: .need, place: place(of: module, "requires"),
                    message: "\(module.id) requires \(shown), and its code never refers to it",
                    fix: "take \(shown) out of 'requires', and run 'eaves build \(module.id)'")
            }
        }
    }

    /// The routes of interfaces that no module opens, and those that no link can open.
    func unopenedRoutes(_ reach: Reach) -> [AuditFinding] {
        let unopened = routes.filter { openers(of: $0.key).isEmpty && !mayBeUsedUnseen($0.key) }
        let declared = unopened.compactMap { route, interface in
            module(interface).map { module in
                AuditFinding(
                    kind: .route, place: place(of: module),
                    message: "no module opens the route \(names.shown(route))",
                    fix: "open it in a feature, or remove it from the interface, and with it the "
                        + "factory that it leads to")
            }
        }
        return declared + unlinkedRoutes(reach)
    }

    /// Routes that modules register by name are opened by links, for which there has to be the feature
    /// `open`, or a module that asks for them.
    private func unlinkedRoutes(_ reach: Reach) -> [AuditFinding] {
        guard manifest.open == nil else { return [] }
        return activeModules.flatMap { module in
            module.provides.filter { $0.isRoute && !reach.services.contains($0.service) }.map {
                AuditFinding(
                    kind: .route, place: place(of: module, "provides"),
                    message:
                        "no link can open the route '\($0.name ?? "")' of \(module.id), because no "
                        + "module offers the feature 'open'",
                    fix: "add a module with the feature 'open', or take the route out of 'provides'"
                )
            }
        }
    }

    /// The interface modules that no other module names.
    var unnamedInterfaces: [AuditFinding] {
        let named = interfaces(namedBy: activeModules.filter { !$0.isInterface })
        return activeModules.filter { $0.isInterface && !named.contains($0.id) }.map { module in
            AuditFinding(
                kind: .interface, place: place(of: module),
                message: program.hasInterface(module.id)
                    ? "the program has the interface '\(module.id)' linked in, so that the file is not used"
                    : "no module names the interface '\(module.id)' in its 'interfaces'",
                fix: "remove it, or name it in the 'interfaces' of a module that uses it")
        }
    }
}
