// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

@_spi(Containers) package import EavesInterface
import Synchronization

// A host that stays up exchanges what its modules have registered. Each exchange publishes one table: who
// resolves meanwhile finds the old registrations or the new ones.
extension Container {
    /// The services that modules answer for here, each with the id of the module: what `resolve` gives, in
    /// the order of registration. Stand-ins under other names are among them.
    package var served: [(request: ServiceRequest, module: String)] {
        registrations.compactMap { registration in
            guard let module = registration.module, !registration.traits.isAlternative else {
                return nil
            }
            return (registration.request, module)
        }
    }

    /// Takes back what a module has registered, as ``exchanging(_:)`` does, and waits for the calls of it, too.
    func ending<Failure: Error>(
        _ body: (RetiredInstances) throws(Failure) -> ContainerRecords.Outcome
    ) throws(Failure) -> RetiredInstances {
        var gates: [CallGate] = []
        let retired = try exchanging { retired throws(Failure) in
            let outcome = try body(retired)
            retired.add(outcome)
            // All that one generation has registered has the same gate.
            for gate in outcome.removed.lazy.compactMap(\.base.door?.gate)
            where !gates.contains(where: { $0 === gate }) { gates.append(gate) }
        }
        // By now, the generation is in no table that a call can begin with: neither this container's, nor those of the
        // containers that have adopted it.
        retired.awaitCalls(through: gates)
        return retired
    }

    /// Takes something back, here and then in the containers that have adopted it.
    func exchanging<Failure: Error>(
        _ body: (RetiredInstances) throws(Failure) -> Void
    ) throws(Failure) -> RetiredInstances {
        let retired = RetiredInstances()
        try body(retired)
        exchangeCount.add(1, ordering: .releasing)
        renewAdopters(noting: retired)
        changeCounter.advance()
        retired.end()
        return retired
    }

    /// Takes back everything that a module has registered, and makes other registrations of it visible.
    ///
    /// - Throws: ``RegistrationError`` for keys that are taken; then nothing has changed.
    func replace(
        module: String, by added: [Registration], decorators: [Decorator]
    ) throws(RegistrationError) -> RetiredInstances {
        let exchange = ContainerRecords.Exchange(
            added: added.map(own), decorators: decorators, isGone: { $0.module == module },
            isOver: { $0.module == module }, isLenient: false)
        return try ending { retired throws(RegistrationError) in
            let outcome = change {
                $0.exchange(exchange, noting: retired, publish: publish)
            }
            guard outcome.problems.isEmpty else {
                throw RegistrationError(problems: outcome.problems)
            }
            return outcome
        }
    }

    /// Decides anew which registrations of modules answer `resolve`, and which ones only `resolveAll`, and
    /// under which names modules answer. To be called when the manifest binds services to other modules.
    ///
    /// Nothing is taken back: a registration that answers again gives the instances that it gave before, and
    /// `resolveAll` gives them all the time. If no registration is chosen for a service that had one, it has
    /// none from now on: the modules that are chosen have to be loaded before.
    ///
    /// - Parameters:
    ///   - isChosen: Whether a registration answers requests for its service. If it is `true` for two of
    ///     the same service, the earlier one answers.
    ///   - names: The names under which a module, by its id, answers for a service although it registers it
    ///     without one.
    ///   - shares: The modules that share the calls of a registration that is chosen: of the first calls, each gets
    ///     exactly its share, and instances as its own scopes say.
    /// - Returns: The registrations that containers which choose differently had, and have no longer.
    @discardableResult
    package func rebind(
        where isChosen: (Registration) -> Bool,
        alsoNamed names: (_ module: String, ServiceRequest) -> [String] = { _, _ in [] },
        sharing shares: (Registration) -> CallShares? = { _ in nil }
    ) -> RetiredInstances {
        // From here on, handles resolve at each call, until no shares are left.
        let mayShare = rebindable.contains { shares($0.base) != nil }
        if mayShare { changeCounter.setShared(true) }
        defer {
            if !mayShare { changeCounter.setShared(false) }
        }
        return exchanging { retired in
            var decisions: [ObjectIdentifier: BindingDecision] = [:]
            // No lock is held while the decisions are made. A module that registers meanwhile is decided about
            // in the next round.
            while !rebind(by: decisions, noting: retired) {
                for base in rebindable.map(\.base) {
                    decisions[ObjectIdentifier(base.label)] = BindingDecision(
                        label: base.label, isChosen: isChosen(base),
                        names: base.module.map { names($0, base.request) } ?? [],
                        shares: shares(base))
                }
            }
        }
    }

    /// - Returns: Whether there was a decision for each registration.
    private func rebind(
        by decisions: [ObjectIdentifier: BindingDecision], noting retired: RetiredInstances
    ) -> Bool {
        let outcome = change { records -> ContainerRecords.Outcome? in
            guard let exchange = records.rebinding(by: decisions) else { return nil }
            exchange.added.forEach { _ = own($0) }
            return records.exchange(exchange, noting: retired, publish: publish)
        }
        if let outcome { retired.add(outcome) }
        return outcome != nil
    }
}
