// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesCatalog
import EavesDeclaration
import EavesManifest

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
