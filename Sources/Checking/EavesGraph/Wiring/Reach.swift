// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesCatalog
import EavesDeclaration

/// The modules and services that the features of an application reach.
struct Reach {
    /// The ids of the modules.
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
    ///
    /// - Parameter all: Whether all implementations may be asked for.
    fileprivate func reached(through service: String, all: Bool) -> [WiredModule] {
        // The names that are asked for cannot be known.
        let chosen = namedChoices(of: service).union(choice(of: service).candidates)
        return providers(of: service).filter { provider in
            all || chosen.contains(provider.id)
                || provider.provides.contains { $0.service == service && $0.name != nil }
        }
    }
}
