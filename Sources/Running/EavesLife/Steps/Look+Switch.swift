// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesCatalog
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
            note(.bound(capability, judging: trial(of: capability, from: from, to: module, usual)))
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
            note(.settled(key))
        }
        return handed
    }
}

// The trials that a switch begins.
extension Look {
    private var terms: ProbationPolicy { disk.manifest.probation }

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
