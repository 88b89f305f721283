// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

package import EavesCatalog
import EavesDeclaration
import EavesManifest
package import EavesRegistry
import EavesSystem

// The switch of a look: who serves from now on, and what is put on probation with it.
extension Look {
    /// The calls that a module usually gets, as far as the container has counted them.
    package typealias UsualCalls = (_ module: String) -> CallTally?

    /// Lets a generation serve from now on.
    ///
    /// - Parameter left: The objects of the one before that live on.
    /// - Returns: The module as it was before; `nil` if it was not loaded.
    package mutating func serves(
        _ one: ModuleChange.Staged, leaving left: RetiredInstances, usual: UsualCalls
    ) -> ModuleLife.Loaded? {
        let id = one.module.entry.id
        let (before, old) = (running[module: id].loaded, running[module: id].book.serving)
        if var transfer = self[id].transfer {
            transfer.left = left
            hands(over: transfer)
        }
        note(.serves(one, leaving: left, judging: trial(of: one, over: before, usual)))
        let book = running[module: id].book
        if let old, let was = book.record(old.number), let new = book.record(one.number) {
            changes.append(.swapped(HostGeneration(new), from: HostGeneration(was)))
        }
        return before
    }

    /// Lets a module serve no longer: it is switched off.
    ///
    /// - Returns: The module as it was before.
    package mutating func stopped(
        _ id: String, leaving left: RetiredInstances
    ) -> ModuleLife.Loaded? {
        let (before, serving) = (running[module: id].loaded, running[module: id].book.serving)
        note(.stopped(id, leaving: left))
        if let serving, let was = running[module: id].book.record(serving.number) {
            changes.append(.stopped(HostGeneration(was)))
        }
        return before
    }

    package mutating func tellBindings(
        from before: [Facts.Served], to now: [Facts.Served], usual: UsualCalls
    ) {
        let earlier = Dictionary(before.map { (Capability($0.request), $0.module) }) { $1 }
        for (request, module) in now {
            let capability = Capability(request)
            guard case .service = capability, let from = earlier[capability], from != module else {
                continue
            }
            changes.append(.bound(service: capability.word, from: from, to: module))
            let trial = trial(of: capability, from: from, to: module, usual)
            note(.settled(capability.key, judging: trial))
        }
    }

    /// Ends the switch: everything that was on its way serves now, or was refused.
    ///
    /// - Parameter rebound: The objects of services that come from other modules now.
    /// - Returns: The states that went over.
    package mutating func switched(leaving rebound: RetiredInstances) -> [StateTransfer] {
        for (key, word, shares) in running.newShares {
            note(.toldShares(key))
            changes.append(
                .shared(
                    service: word, shares: shares.arms.map { BindingShare($0.module, $0.weight) }))
        }
        // The host does not judge a module that came for the first time and takes no other one's place.
        let judged = running.accountsByModule.values
        for one in staged.values {
            guard let account = one.account else { continue }
            if !judged.contains(where: { $0 === account }) { account.close() }
        }
        var handed: [StateTransfer] = []
        for (id, var transfer) in transfers where transfer.isPrepared {
            // A module whose service is bound to another one stays loaded, and goes on with what is under way.
            if transfer.from.module != id { transfer.left = rebound }
            handed.append(transfer)
            note(.takes(id, from: transfer.from.module))
        }
        for id in staged.keys { self[id] = ModuleChange() }
        // Only this switch may lose the state of what was bad.
        for (key, life) in running.services where life.retreat != nil && !isPartial {
            note(.settled(key, judging: nil))
        }
        return handed
    }
}

// The trials that a switch begins.
extension Look {
    var terms: ProbationPolicy { disk.manifest.probation }

    /// The memory of the host with the trials that the switch begins. The store has to know them before the switch,
    /// because a module may crash as soon as it serves.
    package func expectingTrials(serving served: [Facts.Served], usual: UsualCalls) -> Running {
        var expected = running
        for (id, one) in staged {
            if let trial = trial(of: one, over: running[module: id].loaded, usual) {
                expected[module: id].serving?.trial = trial
            }
        }
        for (request, from) in served {
            let capability = Capability(request)
            guard let to = chosen[capability.key], to != from,
                let trial = trial(of: capability, from: from, to: to, usual)
            else { continue }
            expected[service: capability.key].state = .judged(trial)
        }
        return expected
    }

    /// The trial of a generation that serves from now on; `nil` if the host does not judge it.
    private func trial(
        of one: ModuleChange.Staged, over before: ModuleLife.Loaded?, _ usual: UsualCalls
    ) -> TrialCase? {
        let (entry, code) = (one.module.entry, one.module.code)
        guard let before, let account = one.account, entry.standIn == nil,
            running[module: entry.id].retreat == nil
        else { return nil }
        // The module goes back to a generation that was judged good, or that served before any was judged.
        let proven = running.proven(entry.id, from: before)
        // The last good file was judged before.
        guard proven.code !== code || proven.entry.settings != entry.settings else { return nil }
        // Its objects are not kept.
        let earlier = ModuleLife.Loaded(entry: proven.entry, code: proven.code)
        return TrialCase(
            cause: .file(earlier), entry: entry, number: one.number,
            digest: code?.digest.hex, account: account, usual: nil,
            probation: probation(account, unlike: usual(entry.id)))
    }

    /// The trial of a service that comes from another module from now on; `nil` if the host does not judge it.
    private func trial(
        of capability: Capability, from: String, to: String, _ usual: UsualCalls
    ) -> TrialCase? {
        let life = running[service: capability.key]
        // Going back is not judged, whether a person goes back or the host.
        if case .binding(_, from: to)? = life.trial?.cause { return nil }
        if life.retreat == to { return nil }
        let made = self[to].staged
        guard terms.isOn, let key = capability.bindingKey, life.ruling == nil,
            let module = made?.module ?? running[module: to].loaded, let code = module.code,
            running[module: from].isLoaded
        else { return nil }
        let account = made?.account ?? CallAccount()
        return TrialCase(
            cause: .binding(key, from: from), entry: module.entry,
            number: made?.number ?? running[module: to].book.serving?.number ?? 0,
            digest: code.digest.hex, account: account, usual: nil,
            probation: probation(account, unlike: usual(from)))
    }

    /// The probation of something that takes the place of a module, or of an older generation of it.
    ///
    /// - Parameter usual: The calls that the module gets usually.
    private func probation(_ account: CallAccount, unlike usual: CallTally?) -> Probation {
        Probation(terms, at: .now, window: policy.window, new: account.tally, usual: usual)
    }
}

// How a look decides which module takes on the state of which other one.
extension Look {
    /// Whether a module may take the place of another one, or of an older file of its own, without the state of that.
    package func mayLoseState(of other: String, to entry: CatalogEntry) -> Bool {
        // Taking a bad module away matters more than the state that it cannot give.
        discardsState || disk.catalog.entry(entry.id)?.discardsState == true
            || running.isRetreat(from: other, to: entry.id)
    }

    /// Lets a generation take on the state of the one whose place it takes.
    ///
    /// - Throws: If the state would be lost.
    mutating func demandTransfer(
        from old: ModuleLife.Loaded, to new: ModuleLife.Loaded
    ) throws(ModuleError) {
        guard let lifecycle = old.lifecycle, lifecycle.keepsState else { return }
        let entry = new.entry
        if new.lifecycle?.keepsState == true {
            self[entry.id].handing = .takes(StateTransfer(from: lifecycle, of: old, to: entry))
        } else if !mayLoseState(of: old.entry.id, to: entry) {
            throw ModuleError(entry, HandoverError.keepsNone(of: entry.id))
        }
    }

    /// Notes that a service is to move from one module to another one.
    ///
    /// - Throws: If it is known that the other one cannot take on the state.
    mutating func announceTransfer(
        from module: String, to provider: CatalogEntry
    ) throws(ModuleError) {
        guard let (old, _) = keeper(of: module, for: provider) else { return }
        wantedTransfers.insert(StateTransfer.Pair(from: module, to: provider.id))
        let untaken = running[module: provider.id].untaken
        guard let refusal = untaken.first(where: { $0.from.id == module }), refusal.holds else {
            return
        }
        if refusal.from == old.entry, refusal.to == provider,
            !mayLoseState(of: module, to: provider)
        {
            throw refusal.error
        }
        note(.takes(provider.id, from: module))
    }

    /// Lets a module that is loaded, or on its way, take on the state of the one that has a service now.
    ///
    /// - Throws: If the state would be lost.
    mutating func demandTransfer(
        from module: String, to provider: CatalogEntry, _ facts: Facts
    ) throws(ModuleError) {
        guard let (old, lifecycle) = keeper(of: module, for: provider) else { return }
        do throws(HandoverError) {
            guard try isNewTransfer(of: lifecycle, to: provider, facts) else { return }
            self[provider.id].handing = .takes(
                StateTransfer(from: lifecycle, of: old, to: provider))
        } catch {
            if mayLoseState(of: module, to: provider) { return }
            let refusal = ModuleError(provider, error)
            if self[provider.id].staged?.isFirst == true {
                // It is not made again at each look.
                note(.untaken(.init(from: old.entry, to: provider, error: refusal)))
            }
            throw refusal
        }
    }

    /// The loaded module that has a service now, if it keeps state which another one has to take on.
    func keeper(
        of module: String, for provider: CatalogEntry
    ) -> (ModuleLife.Loaded, GenerationLifecycle)? {
        guard module != provider.id, self[provider.id].lost != module,
            let old = running[module: module].loaded, let lifecycle = old.lifecycle,
            lifecycle.keepsState
        else { return nil }
        return (old, lifecycle)
    }

    /// Whether a module does not take on the state yet.
    ///
    /// - Throws: The reason why it cannot.
    private func isNewTransfer(
        of lifecycle: GenerationLifecycle, to provider: CatalogEntry, _ facts: Facts
    ) throws(HandoverError) -> Bool {
        let known = self[provider.id].transfer
        if known?.from === lifecycle { return false }
        // The service was elsewhere since: its state replaces that of the module's own earlier file, if no caller reaches that.
        let isOwn = known.map { $0.from.module == provider.id && !$0.isPrepared } ?? false
        if !isOwn, let other = known?.from.module ?? self[provider.id].lost {
            throw .several([other, lifecycle.module].sorted())
        }
        let target = self[provider.id].staged?.module ?? running[module: provider.id].loaded
        guard target?.lifecycle?.keepsState == true else { throw .keepsNone(of: lifecycle.module) }
        if facts.served.contains(where: { $0.module == provider.id }) { throw .inUse(provider.id) }
        return true
    }

    /// Puts off an exchange that is to hand over a state: it is tried again after 1, 2, … 60 seconds.
    package mutating func postpone(_ id: String, _ reason: HandoverError) {
        guard let transfer = self[id].transfer else { return }
        let life = running[module: id]
        let untaken = life.untaken.first {
            $0.from.id == transfer.from.module && $0.to == transfer.to
        }
        var before = untaken?.again
        if transfer.from.module == id, case .refused(let known)? = life.serving?.file,
            known.entry == transfer.to
        {
            before = known.again
        }
        giveUp(id, ModuleError(transfer.to, reason), again: ModuleLife.Again(after: before))
    }

    /// Decides that a module does not take on a state that may be lost.
    package mutating func loseState(_ transfer: StateTransfer) {
        self[transfer.to.id].handing = .nothing(of: transfer.from.module)
    }
}
