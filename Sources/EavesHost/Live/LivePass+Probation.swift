// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesCatalog
import EavesDeclaration
import EavesManifest
import EavesRegistry
import EavesSystem

// How a look puts on probation what it swaps, and goes back to what served before.
extension LivePass {
    private var terms: ProbationPolicy { disk.manifest.probation }

    // MARK: Files

    /// Whether a newer file of a module has to wait until the one before has been judged.
    mutating func hasToWait(_ entry: CatalogEntry) -> Bool {
        guard terms.isOneAtATime, let judged = running[module: entry.id].trial,
            judged.entry.status != entry.status
        else { return false }
        if running[module: entry.id].waiting != entry {
            running[module: entry.id].waiting = entry
            changes.append(.kept(HostError(ModuleError(entry, ProbationObstacle.file(entry.id)))))
        }
        return true
    }

    /// The account for the factories of a generation that is being made; `nil` if nothing is judged.
    mutating func openAccount(_ id: String) -> CallAccount? {
        guard terms.isOn else { return nil }
        let account = CallAccount()
        running[module: id].account = account
        return account
    }

    /// Notes that another generation of a module serves.
    ///
    /// - Parameter before: The module as it was loaded before; `nil` if it was not.
    mutating func judge(
        _ generation: StagedGeneration, _ number: Int, over before: ModuleLife.Loaded?
    ) {
        let id = generation.entry.id
        let trial = trial(of: generation, number, over: before)
        running.endFile(id)
        let retreat = running[module: id].retreat
        running[module: id].retreat = nil
        // The bad file stays out as long as it is the same.
        if let retreat { running[module: id].refusal = retreat.bar }
        if let trial {
            running[module: id].trial = trial
        } else if retreat != nil || before != nil {
            running[module: id].account?.close()
        }
    }

    /// The trial of a generation that serves from now on; `nil` if the host does not judge it.
    private func trial(
        of generation: StagedGeneration, _ number: Int, over before: ModuleLife.Loaded?
    ) -> TrialCase? {
        let (entry, code) = (generation.entry, generation.code)
        let life = running[module: entry.id]
        guard let before, let account = life.account, life.retreat == nil, entry.standIn == nil
        else { return nil }
        // What was not judged good is no place to go back to.
        let proven = running.proven(entry.id, from: before)
        // The last good file was judged before.
        guard proven.code !== code || proven.entry.settings != entry.settings else { return nil }
        // Its objects are not kept.
        let earlier = ModuleLife.Loaded(entry: proven.entry, code: proven.code)
        return TrialCase(
            cause: .file(earlier), entry: entry, number: number,
            digest: code.digest.hex, account: account, usual: nil,
            probation: probation(account, unlike: entry.id))
    }

    /// The memory of the host with the trials that the switch begins. The store has to know them before the switch,
    /// because a module may crash as soon as it serves.
    var expectingTrials: Running {
        var expected = running
        for (id, one) in staged {
            if let trial = trial(of: one.generation, one.number, over: running[module: id].loaded) {
                expected[module: id].trial = trial
            }
        }
        for (request, from) in container.served {
            let capability = Capability(request)
            guard let to = chosen[capability.key], to != from,
                let trial = trial(of: capability, from: from, to: to)
            else { continue }
            expected[service: capability.key].trial = trial
        }
        return expected
    }

    /// The probation of something that takes the place of a module, or of an older generation of it.
    private func probation(_ account: CallAccount, unlike module: String) -> Probation {
        Probation(
            terms, at: .now, window: policy.window, new: account.tally,
            usual: container.accounts.usualCalls(of: module))
    }

    // MARK: Bindings

    /// Checks that a service which is on probation is not bound to a third module.
    func checkProbation(of capability: Capability, _ wanted: String) throws(ProbationObstacle) {
        guard let judged = running[service: capability.key].trial,
            case .binding(_, let from) = judged.cause,
            wanted != judged.module, wanted != from
        else { return }
        throw .binding(capability.word, judged: judged.module, wanted: wanted)
    }

    /// Notes that a service comes from another module.
    mutating func bound(_ capability: Capability, from: String, to: String) {
        running[service: capability.key].trial = trial(of: capability, from: from, to: to)
    }

    /// The trial of a service that comes from another module from now on; `nil` if the host does not judge it.
    private func trial(of capability: Capability, from: String, to: String) -> TrialCase? {
        let life = running[service: capability.key]
        // Going back is no swap that anybody has to judge.
        if case .binding(_, from: to)? = life.trial?.cause { return nil }
        let loaded = running[module: to].loaded
        let made = self[to].staged
        guard terms.isOn, let key = capability.bindingKey, life.ruling == nil,
            let entry = made?.generation.entry ?? loaded?.entry,
            let code = made?.generation.code ?? loaded?.code, running[module: from].loaded != nil
        else { return nil }
        let account = running[module: to].account ?? CallAccount()
        return TrialCase(
            cause: .binding(key, from: from), entry: entry,
            number: made?.number ?? running.book.serving(to)?.number ?? 0,
            digest: code.digest.hex, account: account, usual: nil,
            probation: probation(account, unlike: from))
    }

    // MARK: Shares

    /// The weights of a capability whose calls modules share; `nil` if one module has all.
    func sharedWeights(of capability: Capability, by manifest: Manifest) -> Weights? {
        guard let key = capability.bindingKey, let choice = manifest.chosen[key],
            choice.reason == .call
        else { return nil }
        return manifest.binding(choice.key)?.weights
    }

    /// Decides which modules share a capability, and loads those that are not loaded. One that cannot be loaded gets
    /// no share.
    ///
    /// - Returns: The reason why one of them gets no share.
    mutating func share(
        _ capability: Capability, with stable: String, by outlook: Outlook
    ) -> (any Error)? {
        let weights = sharedWeights(of: capability, by: outlook.manifest)
        if let weights, let obstacle = obstacle(to: weights, of: capability, stable: stable) {
            return obstacle
        }
        var obstacle: (any Error)?
        var isReady = true
        for id in weights?.eligible ?? [] {
            do {
                guard let key = capability.bindingKey,
                    let entry = try outlook.catalog.provider(
                        of: capability, bound: outlook.manifest.chosen.demanding(key, id))
                else { continue }
                if try secure(entry, by: outlook) == nil { isReady = false }
            } catch {
                obstacle = obstacle ?? error
            }
        }
        // The next round decides.
        guard isReady else { return nil }
        let (running, staged) = (running, staged)
        share(capability, weights, stable: stable) { id in
            (running[module: id].loaded != nil || staged[id] != nil)
                && outlook.catalog.entry(id)?.isAvailable != false
        }
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

    /// Notes which modules share a capability from now on.
    ///
    /// - Parameters:
    ///   - stable: The module that has what no other one gets.
    ///   - ready: Whether a module is there to take calls.
    mutating func share(
        _ capability: Capability, _ weights: Weights?, stable: String,
        where ready: (String) -> Bool
    ) {
        guard let weights, let key = capability.bindingKey, weights.heaviest == stable else {
            endShares(of: capability, stable: stable)
            return
        }
        let usable = weights.shares.filter { $0.module == stable || ready($0.module) }
        let before = running[service: capability.key].shares
        guard usable.contains(where: { $0.module != stable && $0.weight > 0 }) else {
            endShares(of: capability, stable: stable)
            return
        }
        let (terms, window, known, staged) = (terms, policy.window, running, staged)
        running.share(
            capability.key, Weights(usable, by: weights.key), stable: stable
        ) { id, account, usual, share in
            let loaded = known[module: id].loaded.map { ($0.entry, $0.code) }
            let made = staged[id].map { ($0.generation.entry, $0.generation.code) }
            guard terms.isOn, let (entry, code) = loaded ?? made else { return nil }
            let probation = Probation(
                terms, at: .now, window: window, new: account.tally, old: usual.tally, share: share)
            return TrialCase(
                cause: .canary(key, stable: stable), entry: entry,
                number: known.book.serving(id)?.number ?? staged[id]?.number ?? 0,
                digest: code?.digest.hex, account: account, usual: usual,
                probation: probation)
        }
        guard let now = running[service: capability.key].shares, now !== before else { return }
        running[service: capability.key].sharedAnew = capability.word
    }

    /// Ends the shares of a capability, and tells of it if the stable module has all calls from now on.
    private mutating func endShares(of capability: Capability, stable: String) {
        if running[service: capability.key].shares?.stable.module == stable {
            let all = HostBinding.Share(module: stable, weight: 1)
            changes.append(.shared(service: capability.word, shares: [all]))
        }
        running.endShares(capability.key)
    }

    /// The modules that share the calls of a registration's service, if it is that of the stable one.
    func shares(of registration: Registration) -> CallShares? {
        guard let shares = running[service: Capability(registration.request).key].shares,
            shares.stable.module == registration.module
        else { return nil }
        return shares
    }

    /// Lets the container measure what is judged, and nothing else, and tells of new shares.
    mutating func measure() {
        for (service, shares) in running.takeNewShares() {
            changes.append(
                .shared(
                    service: service,
                    shares: shares.arms.map { .init(module: $0.module, weight: $0.weight) }))
        }
        container.accounts.judge(running, keepingUsual: terms.isOn)
        // Nobody judges what came for the first time and is bound to nothing that was there before.
        let judged = running.accountsByModule.values
        for account in running.endLook() where !judged.contains(where: { $0 === account }) {
            account.close()
        }
    }
}

extension Capability {
    /// The key of the binding that decides about it; `nil` for a feature.
    var bindingKey: BindingKey? {
        guard case .service(let service, let name) = self else { return nil }
        return BindingKey(service, name: name)
    }
}

extension CallAccounts {
    /// Measures the calls of what is judged.
    ///
    /// - Parameter keepsUsual: Whether to note those of all other modules, too, to compare with.
    func judge(_ running: Running, keepingUsual keepsUsual: Bool) {
        set(running.accountsByModule, sharing: running.sharesCalls, keepingUsual: keepsUsual)
    }
}
