// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

@_spi(Containers) package import EavesInterface

/// The terms on which a container has a module's registrations although another one, its home, has them.
package struct Adoption: Sendable {
    let isCopying: Bool
    let names: @Sendable (ServiceRequest) -> [String]
    let isChosen: @Sendable (ServiceRequest) -> Bool

    /// - Parameters:
    ///   - isCopying: Whether the factories are to run in the adopting container, and to get what they need
    ///     from it. Otherwise it gives the instances of the home.
    ///   - names: The names under which the module answers for a service although it registers it without.
    ///   - isChosen: Whether the module is the one that answers for a request there.
    package init(
        copying isCopying: Bool, alsoNamed names: @escaping @Sendable (ServiceRequest) -> [String],
        where isChosen: @escaping @Sendable (ServiceRequest) -> Bool
    ) {
        self.isCopying = isCopying
        self.names = names
        self.isChosen = isChosen
    }
}

struct AdoptionState {
    var modules: [String] = []
    var decorators: [Decorator] = []
}

/// A reference to a container that does not keep it alive.
struct WeakContainer {
    weak var container: Container?
}

/// Decides which services a container has itself although its parents have them: those for which it
/// chooses another module than they do.
package protocol ServiceChooser: AnyObject, Sendable {
    /// Registers a service in a container that has to have it itself. Called on the thread that asks, each
    /// time that the container does not have the service, and has a parent.
    ///
    /// - Throws: If the chosen module cannot be loaded. The resolution ends with that error.
    func choose(_ request: ServiceRequest, in container: Container) throws

    /// The terms on which a container has a module of its home: when it adopts the module, and again each time
    /// that modules' registrations have been exchanged there. It resolves nothing.
    ///
    /// - Returns: `nil` if the container has nothing of the module any more.
    func adoption(of module: String, in container: Container) -> Adoption?
}

extension Container {
    /// Makes stand-ins visible for what a module has registered in another container, or copies that have
    /// created nothing, on the terms of the ``ServiceChooser``. From then on, they follow what the module
    /// has registered there. Does nothing if the module is adopted already.
    package func adopt(module: String, of home: Container) {
        // The home notes it first. So whatever is exchanged there from now on is exchanged here, too.
        let others = home.adopters.withLock { adopters in
            let others = adopters.compactMap(\.container).filter { $0 !== self }
            adopters = (others + [self]).map { WeakContainer(container: $0) }
            return others
        }
        // Released here, where no lock is held.
        withExtendedLifetime(others) {}
        let retired = RetiredInstances()
        var released = Retirement.Released()
        let isNew = adoption.withLock { state in
            if state.modules.contains(module) { return false }
            state.modules.append(module)
            _ = renew(&state, from: home, noting: retired, releasing: &released)
            return true
        }
        guard isNew else { return }
        released.end()
        retired.end()
        changeCounter.advance()
    }

    /// Lets the containers that have something of this one follow what has changed here.
    func renewAdopters(noting retired: RetiredInstances) {
        let containers = adopters.withLock { $0.compactMap(\.container) }
        for container in containers {
            var released = Retirement.Released()
            let outcome = container.adoption.withLock { state in
                container.renew(&state, from: self, noting: retired, releasing: &released)
            }
            retired.add(outcome)
            released.end()
        }
    }

    /// Puts what the home has registered by now in the place of what was adopted, all at once. Copies of what
    /// the home still has stay, with their instances.
    private func renew(
        _ state: inout AdoptionState, from home: Container, noting retired: RetiredInstances,
        releasing released: inout Retirement.Released
    ) -> ContainerRecords.Outcome {
        let (all, decorators) = home.content
        let known = allRegistrations.filter(\.isAdopted).map(\.base)
        var adopted: [Registration] = []
        state.modules.removeAll { module in
            let own = all.filter { $0.module == module && !$0.traits.isStandIn }.map(\.base)
            // A module that has been taken back is adopted anew once it is back.
            guard !own.isEmpty, let terms = chooser?.adoption(of: module, in: self) else {
                return true
            }
            for registration in own {
                let isChosen = terms.isChosen(registration.request)
                if terms.isCopying {
                    let copy =
                        known.first { $0.label === registration.label } ?? registration.adopted()
                    adopted.append(isChosen ? copy : copy.asAlternative())
                } else if isChosen {
                    adopted.append(
                        registration.standIn(
                            named: registration.request.name, in: home, sharing: nil))
                }
                adopted += registration.standIns(
                    named: terms.names(registration.request), among: own,
                    in: terms.isCopying ? nil : home)
            }
            return false
        }
        let former = state.decorators
        state.decorators = decorators
        let exchange = ContainerRecords.Exchange(
            added: adopted.map(own), decorators: decorators, isGone: \.isAdopted,
            isOver: { decorator in former.contains { $0 === decorator } }, isLenient: true)
        return change(releasing: &released) { records in
            records.exchange(exchange, noting: retired, publish: publish)
        }
    }
}

extension Registration {
    fileprivate var isAdopted: Bool {
        module != nil && traits.isStandIn && traits.overriding == nil
    }
}
