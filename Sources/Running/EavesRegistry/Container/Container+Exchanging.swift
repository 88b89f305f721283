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
        defer { if !mayShare { changeCounter.setShared(false) } }
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

extension ContainerRecords {
    /// The registrations and decorators that take the places of others.
    struct Exchange {
        /// Chosen ones, and entries of those that are not.
        let added: [Registration]
        let decorators: [Decorator]
        /// Whether a registration is replaced, also one that is overridden.
        let isGone: (Registration) -> Bool
        let isOver: (Decorator) -> Bool
        /// Whether registrations whose keys others have are left to `resolveAll`, or, if they stand for
        /// another one, out; otherwise they are problems.
        let isLenient: Bool
    }

    struct Outcome: Sendable {
        /// Why it has changed nothing.
        var problems: [RegistrationProblem] = []
        /// The registrations that cannot be found any more.
        var removed: [Registration] = []
        /// The registrations that stay, or have come, among which parts of the removed ones may be.
        var kept: [Registration] = []
    }

    /// Replaces registrations and decorators by others, all at once.
    ///
    /// Keys that the host overrides stay overridden.
    ///
    /// - Parameter retired: The instances to tell when no thread can find what was removed any more.
    /// - Returns: The changes. If some of the registrations cannot be added, nothing has.
    mutating func exchange(
        _ exchange: Exchange, noting retired: RetiredInstances,
        publish: Publish
    ) -> Outcome {
        let isGone = exchange.isGone
        // The places that are overridden: the new registration goes to the place of the old one.
        let slots = overridden.compactMapValues { $0.firstIndex(where: isGone) }
        let plan = plan(exchange, hiding: slots)
        guard plan.problems.isEmpty else { return Outcome(problems: plan.problems) }
        var removed = registrations.filter(isGone)
        for (key, known) in overridden {
            removed += known.filter(isGone)
            let rest = known.indices.compactMap { index in
                isGone(known[index]) ? (index == slots[key] ? plan.hidden[key] : nil) : known[index]
            }
            overridden[key] = rest.isEmpty ? nil : rest
        }
        registrations.removeAll(where: isGone)
        let place = decorators.firstIndex(where: exchange.isOver) ?? decorators.count
        let hadDecorators = decorators.contains(where: exchange.isOver)
        decorators.removeAll(where: exchange.isOver)
        decorators.insert(contentsOf: exchange.decorators, at: place)
        let isDecoratedAnew = hadDecorators || !exchange.decorators.isEmpty
        if isDecoratedAnew { removed += prepareAll() }
        let added = plan.visible.map(prepared)
        registrations += added
        guard !removed.isEmpty || !added.isEmpty else { return Outcome() }
        let kept = (isDecoratedAnew ? registrations : added) + plan.hidden.values
        let identities = Set(kept.map { ObjectIdentifier($0) })
        removed.removeAll { identities.contains(ObjectIdentifier($0)) }
        replaceTable(publish, removing: removed, noting: removed.isEmpty ? nil : retired)
        return Outcome(removed: removed, kept: kept)
    }

    private struct ExchangePlan {
        var visible: [Registration] = []
        /// Those whose keys are overridden, and that come back instead of what was replaced.
        var hidden: [ServiceKey: Registration] = [:]
        var problems: [RegistrationProblem] = []
    }

    private func plan(_ exchange: Exchange, hiding slots: [ServiceKey: Int]) -> ExchangePlan {
        var plan = ExchangePlan()
        var placed: [ServiceKey: Registration] = [:]
        func holder(of key: ServiceKey) -> Registration? {
            if let known = placed[key] { return known }
            let known = table.find(key)?.takeUnretainedValue()
            return known.flatMap { exchange.isGone($0) ? nil : $0 }
        }
        func place(_ registration: Registration) -> Registration? {
            if let holder = holder(of: registration.key) { return holder }
            placed[registration.key] = registration
            plan.visible.append(registration)
            return nil
        }
        for registration in exchange.added {
            guard let holder = place(registration) else { continue }
            var other: Registration? = holder
            if holder.traits.overriding != nil, registration.module != nil,
                !registration.traits.isAlternative
            {
                if slots[registration.key] != nil, plan.hidden[registration.key] == nil {
                    plan.hidden[registration.key] = registration
                    other = nil
                } else {
                    other = place(registration.asAlternative(isYielding: true))
                }
            } else if exchange.isLenient {
                let isLeftOut = registration.isForwarded && registration.traits.isStandIn
                if !isLeftOut { _ = place(registration.asAlternative()) }
                other = nil
            }
            if let other {
                plan.problems.append(
                    RegistrationProblem(registration: registration, earlier: other))
            }
        }
        return plan
    }

    /// The registrations of modules that the host itself did not put there, visible and overridden.
    var rebindable: [Registration] {
        (registrations + overridden.values.joined()).filter {
            $0.module != nil && $0.traits.overriding == nil && !$0.traits.isStandIn
        }
    }

    /// Returns the exchange that makes these decisions count.
    ///
    /// - Returns: `nil` if there is none for one of the registrations.
    func rebinding(by decisions: [ObjectIdentifier: BindingDecision]) -> Exchange? {
        let known = rebindable
        var chosen: [Registration] = []
        var standIns: [Registration] = []
        for registration in known {
            let base = registration.base
            guard let decision = decisions[ObjectIdentifier(base.label)] else { return nil }
            let isKeptEntry = registration.traits.isAlternative && !registration.traits.isYielding
            let shares = decision.isChosen ? shares(decision, base, among: known) : nil
            chosen.append(
                decision.isChosen && shares == nil
                    ? base : isKeptEntry ? registration : base.asAlternative())
            if let shares {
                chosen.append(base.standIn(named: base.request.name, in: nil, sharing: shares))
            }
            if !decision.names.isEmpty {
                let own = known.filter { $0.module == base.module }
                standIns += base.standIns(named: decision.names, among: own)
            }
        }
        return Exchange(
            added: chosen + standIns, decorators: [],
            isGone: { $0.module != nil && $0.traits.overriding == nil }, isOver: { _ in false },
            isLenient: true)
    }

    /// The modules that share the calls of a registration's service. There are none if no other module has a
    /// registration of the same kind, or if the host overrides the service.
    private func shares(
        _ decision: BindingDecision, _ base: Registration, among known: [Registration]
    ) -> CallShares? {
        guard let shares = decision.shares, overridden[base.key] == nil,
            table.find(base.key)?.takeUnretainedValue().traits.overriding == nil,
            known.contains(where: { other in
                shares.canaries.contains { $0.module == other.base.module }
                    && base.isAlike(other.base)
            })
        else { return nil }
        return shares
    }
}

/// Whether a module's registration answers requests for its service.
struct BindingDecision {
    /// Kept so that no other label has the same identity.
    let label: RegistrationLabel
    let isChosen: Bool
    let names: [String]
    /// The modules that share the calls with this one, which is their stable one.
    let shares: CallShares?
}
