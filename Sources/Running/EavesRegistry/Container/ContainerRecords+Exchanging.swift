// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesInterface

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
