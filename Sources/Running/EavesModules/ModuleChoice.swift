// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesCatalog
import EavesDeclaration
package import EavesInterface
import EavesLife
package import EavesManifest
package import EavesRegistry
import Synchronization

/// Chooses modules for a container by other values than the host's: for a request, a session or a user.
///
/// All modules are loaded once, into the host's container. A container that chooses differently has only
/// what differs: for a service that another module provides, a stand-in for what that module registered
/// there, so that its instances are the same for everybody who gets them; and copies of the factories of
/// modules that depend on such a service, so that these get what is chosen here.
///
/// When the host exchanges modules or binds services to others, the container follows: it keeps the choice that
/// it was made for, and in everything else it does as the host.
///
/// Safe from any thread.
package final class ModuleChoice: ServiceChooser {
    let modules: LazyLoader
    /// The values that choose here, those of the containers above included.
    let values: [String: String]
    /// The services that are chosen differently than by the host, and those of the container above if its
    /// choice differs from this one.
    fileprivate let differences: [BindingKey: String]
    private let differencesAbove: [BindingKey: String]?
    /// The containers that several children share, as long as the host lives.
    weak let containers: ChoiceContainers?
    private let state: Mutex<State>

    private struct State {
        /// How often modules had been exchanged when the following was noted.
        var exchanges: Int
        /// The choice, and that of the container above if it differs.
        var choice: Choice
        /// The capabilities, by their keys, about which nothing is left to do.
        var settled: Set<String> = []
        var hasRouting = false
    }

    private struct Choice {
        let own: ChosenBindings
        let above: ChosenBindings?
    }

    package init(
        _ modules: LazyLoader, by values: [String: String] = [:], bindings: ChosenBindings,
        above: ChosenBindings?, containers: ChoiceContainers?,
        differences: [BindingKey: String] = [:], differencesAbove: [BindingKey: String]? = nil,
        exchanges: Int = 0
    ) {
        self.modules = modules
        self.values = values
        self.containers = containers
        self.differences = differences
        self.differencesAbove = above == nil ? nil : differencesAbove ?? [:]
        state = Mutex(State(exchanges: exchanges, choice: Choice(own: bindings, above: above)))
    }

    func bindings(in host: Container) -> ChosenBindings { choice(at: host.exchanges).own }

    /// The choice after a number of exchanges. The first one that asks after an exchange looks at the manifest
    /// as it is by then.
    private func choice(at exchanges: Int) -> Choice {
        let known = state.withLock { $0.exchanges == exchanges ? $0.choice : nil }
        if let known { return known }
        let chosen = modules.manifest.chosen
        let choice = Choice(
            own: chosen.demanding(differences), above: differencesAbove.map(chosen.demanding))
        return state.withLock { state in
            if state.exchanges < exchanges {
                state.exchanges = exchanges
                state.choice = choice
                state.settled = []
            }
            return state.choice
        }
    }

    package func choose(_ request: ServiceRequest, in container: Container) throws {
        let lineage = container.lineage
        guard differencesAbove != nil, let host = lineage.last else { return }
        let exchanges = host.exchanges
        let choice = choice(at: exchanges)
        guard let base = choice.above else { return }
        let capability = Capability(request)
        if state.withLock({ $0.settled.contains(capability.key) }) { return }
        let above = lineage.dropFirst()
        if request.qualifiedService == Self.routing {
            // Routes lead to what is chosen here, unless the program has its own routing.
            let isReplaced = above.contains { $0.overrides { $0.qualifiedService == Self.routing } }
            try state.withLock { state in
                guard !isReplaced, !state.hasRouting else { return }
                state.hasRouting = true
                try container.register((any Routing).self) { Router(resolver: $0) }
            }
            return
        }
        let isProvided = above.contains { container in
            container.hasOwn { Capability($0).agrees(with: capability) }
        }
        if isProvided { return }
        do {
            let module = try modules.choose(capability, bound: choice.own, unlike: base, in: host)
            if let module { container.adopt(module: module, of: host) }
        } catch is NotProvidedError {
            // The parents are asked next, and say why.
        }
        state.withLock { state in
            if state.exchanges == exchanges { state.settled.insert(capability.key) }
        }
    }

    package func adoption(of module: String, in container: Container) -> Adoption? {
        guard let host = container.lineage.last, let entry = modules.catalog.entry(module) else {
            return nil
        }
        let choice = choice(at: host.exchanges)
        guard let base = choice.above else { return nil }
        let (modules, own) = (modules, choice.own)
        return Adoption(
            copying: modules.depends(entry, on: own.differences(from: base), own),
            alsoNamed: { own.names(of: $0.qualifiedService, boundTo: module) },
            where: { modules.isChosen(entry, for: Capability($0), own) })
    }

    private static let routing = ServiceRequest((any Routing).self).qualifiedService
}

/// The containers for choices that differ from the host's, one for each: all users for whom the same modules
/// are chosen share the instances that depend on the choice.
///
/// The host keeps them. Safe from any thread.
package final class ChoiceContainers: Sendable {
    private let made = Mutex<[[BindingKey: String]: Container]>([:])

    package init() {}

    func container(
        for differences: [BindingKey: String], making make: () -> Container
    ) -> Container {
        made.withLock { made in
            if let known = made[differences] { return known }
            let container = make()
            made[differences] = container
            return container
        }
    }
}

extension Container {
    /// A container below this one in which values choose, those of the containers above included.
    package func child(choosingBy values: [String: String]) -> Container {
        let lineage = lineage
        guard let nearest = lineage.compactMap({ $0.chooser as? ModuleChoice }).first else {
            return Container(parent: self)
        }
        let host = lineage[lineage.count - 1]
        // Read first: if modules are exchanged meanwhile, the choice is looked at again.
        let exchanges = host.exchanges
        let (modules, containers) = (nearest.modules, nearest.containers)
        var choices = modules.manifest.choices
        choices.values.merge(nearest.values) { $1 }
        choices.values.merge(values) { $1 }
        let bindings = modules.manifest.chosen(by: choices)
        let differences = bindings.differences(from: nearest.bindings(in: host))
        // Those of the containers above count here, too.
        let all = nearest.differences.merging(differences) { $1 }
        func choice(_ above: ChosenBindings?) -> ModuleChoice {
            ModuleChoice(
                modules, by: choices.values, bindings: bindings, above: above,
                containers: containers, differences: all, differencesAbove: nearest.differences,
                exchanges: exchanges)
        }
        if differences.isEmpty { return Container(parent: self, chooser: choice(nil)) }
        // Below a container that has services of its own, these count, so that it cannot be shared.
        guard lineage.count == 1, let containers else {
            return Container(parent: self, chooser: choice(nearest.bindings(in: host)))
        }
        let shared = containers.container(for: differences) {
            Container(parent: self, chooser: choice(nearest.bindings(in: host)))
        }
        return Container(parent: shared, chooser: choice(nil))
    }
}

extension ChosenBindings {
    /// The same choices with other modules for some services. A binding of a qualified name goes before one of
    /// the name without the Swift module, whichever stands first.
    fileprivate func demanding(_ differences: [BindingKey: String]) -> ChosenBindings {
        differences.sorted { one, other in
            let (first, second) = (one.key.word == one.key, other.key.word == other.key)
            return first == second ? one.key.text < other.key.text : first
        }
        .reduce(self) { $0.demanding($1.key, $1.value) }
    }
}
