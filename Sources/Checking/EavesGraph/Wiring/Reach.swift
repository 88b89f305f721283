// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesDeclaration

/// The modules and services that the features of an application reach.
struct Reach {
    /// The ids of the modules.
    private(set) var modules: Set<String> = []
    /// The services that somebody asks for who is reached.
    private(set) var services: Set<String> = []
    private let wiring: Wiring

    /// Begins at each feature that a person can launch, at the modules that are not built, and at what these and
    /// the program itself may ask for.
    init(_ wiring: Wiring) {
        self.wiring = wiring
        for module in wiring.activeModules where !module.features.isEmpty || module.isUnbuilt {
            visit(module)
        }
        for module in wiring.activeModules {
            for service in Set(module.provides.map(\.service)) where wiring.mayBeUsedUnseen(service)
            {
                visit(service, all: true)
            }
        }
    }

    private mutating func visit(_ module: WiredModule) {
        guard modules.insert(module.id).inserted else { return }
        let all = module.mentions?.asksForAll == true
        for service in module.needs { visit(service, all: all) }
        for service in wiring.servicesBehind(module).sorted() { visit(service, all: false) }
        for interface in module.interfaces.compactMap(wiring.module) { visit(interface) }
    }

    /// - Parameter all: Whether somebody may ask for all implementations.
    private mutating func visit(_ service: String, all: Bool) {
        services.insert(service)
        // Nobody can tell which names are asked for.
        let chosen = wiring.namedChoices(of: service).union(
            wiring.choice(of: service).candidates)
        for provider in wiring.providers(of: service)
        where all || chosen.contains(provider.id)
            || provider.provides.contains(where: { $0.service == service && $0.name != nil })
        {
            visit(provider)
        }
    }
}
