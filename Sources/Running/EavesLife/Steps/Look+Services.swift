// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesCatalog
import EavesDeclaration
import EavesManifest
package import EavesRegistry
import EavesSystem

// How a look decides which module provides what.
extension Look {
    /// Decides for each service that was asked for which module provides it from now on, and wants
    /// that module. Where none can be had, the one that provides it now stays.
    mutating func decide(_ facts: Facts) {
        let wished =
            standing.isEmpty
            ? disk : Outlook(disk, choosing: disk.manifest, standing: standing)
        var kept: [BindingChoices.Demand] = []
        var toldNow: [String: Obstacle] = [:]
        var refused: [ModuleError] = []
        var hasLost = false
        (chosen, hasDeferredServices) = ([:], false)
        for (request, module) in facts.served where !self[module].isStopping {
            let capability = Capability(request)
            let key = capability.key
            guard running[module: module].isLoaded else {
                // The program has linked it in: no file of it is on the disk.
                chosen[key] = module
                continue
            }
            var obstacle: (any Error)?
            do {
                guard let wanted = try wished.catalog.provider(of: capability) else { continue }
                try checkProbation(of: capability, wanted.id)
                try announceTransfer(from: module, to: wanted)
                // If its module keeps state, and another state goes over, the next look moves it.
                guard keeper(of: module, for: wanted) == nil || mayMoveState(to: wanted.id) else {
                    hasDeferredServices = true
                    chosen[key] = module
                    if refuseLoss(of: capability, by: module) { hasLost = true }
                    toldNow[key] = running[service: key].told
                    if let binding = capability.bindingKey { kept.append(.init(binding, module)) }
                    continue
                }
                guard let provider = try secure(wanted, by: wished, facts) else {
                    // The next round decides. Until then, what was told holds.
                    chosen[key] = module
                    toldNow[key] = running[service: key].told
                    continue
                }
                try demandTransfer(from: module, to: provider, facts)
                chosen[key] = provider.id
                obstacle = share(capability, with: provider.id, by: wished, facts)
            } catch {
                releaseMover()
                chosen[key] = module
                if refuseLoss(of: capability, by: module) { hasLost = true }
                if let binding = capability.bindingKey { kept.append(.init(binding, module)) }
                obstacle = error
                if let error = error as? ModuleError { refused.append(error) }
                // It was to share the calls of one that cannot be had.
                if running[service: key].shares?.stable.module != module { endShares(key) }
            }
            if let obstacle {
                toldNow[key] = tell(obstacle, of: capability)
            }
        }
        if !toldNow.isEmpty || running.hasTold { note(.told(toldNow)) }
        // A module in its first generation that no service comes from.
        for error in refused {
            guard let one = self[error.id].staged, one.isFirst, !chosen.values.contains(error.id),
                !running.hasShare(error.id)
            else { continue }
            drop(one, because: error)
        }
        // The module stands as it is, which may decide about other services.
        if hasLost { return decide(facts) }
        outlook = wished
        if !kept.isEmpty {
            var choices = disk.manifest.choices
            choices.demands += kept
            outlook = Outlook(disk, choosing: disk.manifest.choosing(choices), standing: standing)
        }
    }

    /// Refuses a generation on its way that no longer provides a service which has to stay with its module. Going back to
    /// an earlier file matters more.
    private mutating func refuseLoss(of capability: Capability, by module: String) -> Bool {
        guard let one = self[module].staged, !one.module.entry.declares(capability),
            running[module: module].retreat == nil
        else { return false }
        let entry = one.module.entry
        let obstacle = SwapObstacle.takesAway(module, [capability.description])
        refuse(entry, one.number, ModuleError(entry, obstacle))
        return true
    }

    /// Whether a registration is the one that answers after the switch.
    package func isChosen(_ registration: Registration, among known: Set<String>) -> Bool {
        let capability = Capability(registration.request)
        if let module = chosen[capability.key] { return module == registration.module }
        if let module = registration.module, !known.contains(module) { return true }
        let provider = try? outlook.catalog.provider(of: capability)
        return provider?.id == registration.module
    }

    /// Notes why a service does not come from where the disk wants it, and reports that unless it was reported before.
    private mutating func tell(_ error: any Error, of capability: Capability) -> Obstacle {
        let problem = HostError(error)
        let obstacle = Obstacle(subject: capability.word, problems: problem.problems)
        let isKnown =
            running.isRepeated(error) || running[service: capability.key].told == obstacle
            || waits(error as? ModuleError)
        if !isKnown { changes.append(.kept(problem)) }
        return obstacle
    }

    /// Checks that a service which is on probation is not bound to a third module.
    private func checkProbation(
        of capability: Capability, _ wanted: String
    ) throws(ProbationObstacle) {
        guard let judged = running[service: capability.key].trial,
            case .binding(_, let from) = judged.cause,
            wanted != judged.module, wanted != from
        else { return }
        throw .binding(capability.word, judged: judged.module, wanted: wanted)
    }

    /// Sees to it that a module is loaded, or on its way.
    ///
    /// - Returns: The module as it is now; `nil` if it has to be made or awaited, so that the next round decides.
    private mutating func secure(
        _ module: CatalogEntry, by wished: Outlook, _ facts: Facts
    ) throws(ModuleError) -> CatalogEntry? {
        let id = module.id
        if running[module: id].isLoaded { return module }
        if let one = self[id].staged { return one.module.entry }
        if facts.loading.contains(id), self[id].obstacle == nil {
            self[id].course = .wants(.wait(for: id))
        } else if let error = self[id].obstacle ?? running[module: id].failure {
            // The look has tried it already.
            throw error
        } else {
            self[id].course = .wants(.makeFirst(module, wished))
        }
        return nil
    }

    // MARK: Shares

    /// Decides which modules share a capability, and wants those that are not loaded. One that cannot be had gets no share.
    ///
    /// - Returns: The reason why one of them gets no share.
    private mutating func share(
        _ capability: Capability, with stable: String, by wished: Outlook, _ facts: Facts
    ) -> (any Error)? {
        let weights = wished.manifest.sharedWeights(of: capability)
        if let weights, let obstacle = obstacle(to: weights, of: capability, stable: stable) {
            return obstacle
        }
        var obstacle: (any Error)?
        var isReady = true
        for id in weights?.eligible ?? [] {
            do {
                guard let key = capability.bindingKey,
                    let entry = try wished.catalog.provider(
                        of: capability, bound: ChosenBindings(demanding: key, id))
                else { continue }
                if try secure(entry, by: wished, facts) == nil { isReady = false }
            } catch {
                obstacle = obstacle ?? error
            }
        }
        // The next round decides.
        guard isReady else { return nil }
        let ready = (weights?.eligible ?? []).filter { id in
            (running[module: id].isLoaded || self[id].staged != nil)
                && wished.catalog.entry(id)?.isAvailable != false
        }
        share(capability, weights, stable: stable, among: ready)
        return obstacle
    }

    /// The reason why a service that a canary is judged for does not get another canary, too.
    private func obstacle(
        to weights: Weights, of capability: Capability, stable: String
    ) -> ProbationObstacle? {
        let judged = running[service: capability.key].canaries
        guard let first = judged.first, case .canary(_, stable) = first.cause,
            let other = weights.eligible.first(where: { id in
                id != stable && !judged.contains { $0.module == id }
            })
        else { return nil }
        return .binding(capability.word, judged: first.module, wanted: other)
    }

    /// Decides which modules share a capability from now on.
    ///
    /// - Parameters:
    ///   - stable: The module that has what no other one gets.
    ///   - ready: The modules that are there to take calls.
    private mutating func share(
        _ capability: Capability, _ weights: Weights?, stable: String, among ready: [String]
    ) {
        let usable = (weights?.shares ?? []).filter {
            $0.module == stable || ready.contains($0.module)
        }
        guard let weights, let key = capability.bindingKey, weights.heaviest == stable,
            usable.contains(where: { $0.module != stable && $0.weight > 0 })
        else {
            return endShares(of: capability, stable: stable)
        }
        let shared = running.shares(
            of: capability.key, capability.word, Weights(usable, by: weights.key), stable: stable
        ) { id, account, usual, share in
            guard terms.isOn, let module = running[module: id].loaded ?? self[id].staged?.module
            else { return nil }
            let probation = Probation(
                terms, at: .now, window: policy.window, new: account.tally, old: usual.tally,
                share: share, after: running.inherited?.evidence(ofCanary: module, key))
            return TrialCase(
                cause: .canary(key, stable: stable), entry: module.entry,
                number: running[module: id].book.serving?.number ?? self[id].staged?.number ?? 0,
                digest: module.code?.digest.hex, account: account, usual: usual,
                probation: probation)
        }
        if let shared { note(.shares(capability.key, shared)) }
    }

    /// Ends the shares of a capability, and tells of it if the stable module has all calls from now on.
    private mutating func endShares(of capability: Capability, stable: String) {
        if running[service: capability.key].shares?.stable.module == stable {
            let all = BindingShare(stable, 1)
            changes.append(.shared(service: capability.word, shares: [all]))
        }
        endShares(capability.key)
    }

    private mutating func endShares(_ key: String) {
        if running[service: key].shares != nil { note(.shares(key, nil)) }
    }
}

extension Manifest {
    /// The weights of a capability whose calls modules share; `nil` if one module has all.
    func sharedWeights(of capability: Capability) -> Weights? {
        guard let key = capability.bindingKey, let choice = chosen[key], choice.reason == .call
        else { return nil }
        return binding(choice.key)?.weights
    }
}
