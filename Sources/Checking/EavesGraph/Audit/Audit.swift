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
        let order = Dictionary(
            uniqueKeysWithValues: AuditFinding.Kind.allCases.enumerated().map { ($1, $0) })
        self.findings = findings.sorted {
            (order[$0.kind] ?? 0, $0.place, $0.message)
                < (order[$1.kind] ?? 0, $1.place, $1.message)
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
        /// A module provides a service that is never asked for.
        case service
        /// A module declares that it requires a service, and its binary never refers to it.
        case need
        /// A service is bound to a module that does not provide it, is switched off, or is not there.
        case binding
        /// A share of a binding with weights has no effect.
        case weight
        /// No feature reaches a module.
        case module
        /// A route is never opened.
        case route
        /// A part of the manifest has no effect.
        case entry
        /// No module names an interface module.
        case interface
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
}

extension AuditFinding.Kind {
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

extension AuditFinding {
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
