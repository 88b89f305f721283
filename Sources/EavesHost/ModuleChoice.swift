// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesDeclaration
package import EavesInterface
import EavesManifest
package import EavesRegistry
import Synchronization

/// Chooses modules for a container by other values than the host's: for a request, a session or a user.
///
/// All modules are loaded once, into the host's container. A container that chooses differently has only
/// what differs: for a service that another module provides, a stand-in for what that module registered
/// there, so that its instances are the same for everybody who gets them; and copies of the factories of
/// modules that depend on such a service, so that these get what is chosen here.
///
/// Safe from any thread.
package final class ModuleChoice: ServiceChooser {
    let modules: LazyLoader
    /// The values that choose here, those of the containers above included.
    let values: [String: String]
    let bindings: ChosenBindings
    /// The choice of the container above, if this one's differs from it.
    private let above: ChosenBindings?
    /// Keeps the containers that several children share, as long as the host lives.
    weak let containers: ChoiceContainers?
    private let state = Mutex(State())

    private struct State {
        /// The capabilities, by their keys, about which nothing is left to do.
        var settled: Set<String> = []
        /// The modules whose registrations the container has.
        var adopted: Set<String> = []
    }

    init(
        _ modules: LazyLoader, by values: [String: String] = [:], bindings: ChosenBindings,
        above: ChosenBindings?, containers: ChoiceContainers?
    ) {
        self.modules = modules
        self.values = values
        self.bindings = bindings
        self.above = above
        self.containers = containers
    }

    package func choose(_ request: ServiceRequest, in container: Container) throws {
        guard let base = above else { return }
        let capability = Capability(request)
        if state.withLock({ $0.settled.contains(capability.key) }) { return }
        let lineage = container.lineage
        let above = lineage.dropFirst()
        if request.qualifiedService == Self.routing {
            try provideRouting(in: container, below: above)
            return
        }
        let isProvided = above.contains { container in
            container.hasOwn { Capability($0).agrees(with: capability) }
        }
        if isProvided { return }
        guard let host = lineage.last else { return }
        do {
            let module = try modules.choose(capability, bound: bindings, unlike: base, in: host)
            if let module {
                try adopt(module, from: host, into: container)
            }
        } catch is NotProvidedError {
            // The parents are asked next, and say why.
        }
        state.withLock { _ = $0.settled.insert(capability.key) }
    }

    /// Registers everything of a module, once. Another thread that wants something of it waits meanwhile.
    private func adopt(
        _ module: ChosenModule, from host: Container, into container: Container
    ) throws {
        try state.withLock { state in
            guard !state.adopted.contains(module.id) else { return }
            try container.adopt(
                module: module.id, of: host, copying: module.dependsOnChoice,
                alsoNamed: module.names, where: module.isChosen)
            state.adopted.insert(module.id)
        }
    }

    /// Routes lead to what is chosen here, unless the program has its own routing.
    private func provideRouting(
        in container: Container, below above: ArraySlice<Container>
    ) throws {
        let isReplaced = above.contains { $0.overrides { $0.qualifiedService == Self.routing } }
        try state.withLock { state in
            guard !isReplaced, state.settled.insert(Self.routing).inserted else { return }
            try container.register((any Routing).self) { Router(resolver: $0) }
        }
    }

    private static let routing = ServiceRequest((any Routing).self).qualifiedService
}

/// A module that a container chooses, and its host's container does not, or that depends on such a module.
struct ChosenModule: Sendable {
    let id: String
    /// Whether the module requires a service that is chosen differently, itself or through others.
    let dependsOnChoice: Bool
    /// The names under which the module answers for a service although it registers it without one.
    let names: @Sendable (ServiceRequest) -> [String]
    /// Whether the module is the one that answers for a request.
    let isChosen: @Sendable (ServiceRequest) -> Bool
}

/// The containers for choices that differ from the host's, one for each: all users for whom the same modules
/// are chosen share the instances that depend on the choice.
///
/// The host keeps them. Safe from any thread.
final class ChoiceContainers: Sendable {
    private let made = Mutex<[[BindingKey: String]: Container]>([:])

    /// The container for a choice.
    ///
    /// - Parameter differences: The services that are chosen differently, with their modules.
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
    func child(choosingBy values: [String: String]) -> Container {
        let lineage = lineage
        guard let nearest = lineage.compactMap({ $0.chooser as? ModuleChoice }).first else {
            return Container(parent: self)
        }
        let (modules, containers) = (nearest.modules, nearest.containers)
        var choices = modules.manifest.choices
        choices.values.merge(nearest.values) { $1 }
        choices.values.merge(values) { $1 }
        let bindings = modules.manifest.chosen(by: choices)
        let differences = bindings.differences(from: nearest.bindings)
        func choice(_ above: ChosenBindings?) -> ModuleChoice {
            ModuleChoice(
                modules, by: choices.values, bindings: bindings, above: above,
                containers: containers)
        }
        if differences.isEmpty { return Container(parent: self, chooser: choice(nil)) }
        // Below a container that has services of its own, these count, so that nobody can share it.
        guard lineage.count == 1, let containers else {
            return Container(parent: self, chooser: choice(nearest.bindings))
        }
        let shared = containers.container(for: differences) {
            Container(parent: self, chooser: choice(nearest.bindings))
        }
        return Container(parent: shared, chooser: choice(nil))
    }
}
