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

    /// Notes that a generation serves from now on.
    ///
    /// - Parameter left: The objects of the one before that live on.
    /// - Returns: The module as it was before; `nil` if it was not loaded.
    package mutating func serves(
        _ one: ModuleChange.Staged, leaving left: RetiredInstances, _ running: inout Running,
        usual: UsualCalls
    ) -> ModuleLife.Loaded? {
        let id = one.module.entry.id
        let before = running[module: id].loaded
        self[id].transfer?.left = left
        let trial = trial(of: one, over: before, running, usual)
        if let change = running.serve(one, leaving: left, judging: trial) { changes.append(change) }
        return before
    }

    /// Notes that a module serves no longer: it is switched off.
    package mutating func stopped(
        _ id: String, leaving left: RetiredInstances, _ running: inout Running
    ) -> ModuleLife.Loaded? {
        let before = running[module: id].loaded
        if let change = running.stop(id, leaving: left) { changes.append(change) }
        return before
    }

    package mutating func tellBindings(
        from before: [Facts.Served], to now: [Facts.Served], _ running: inout Running,
        usual: UsualCalls
    ) {
        let earlier = Dictionary(before.map { (Capability($0.request), $0.module) }) { $1 }
        for (request, module) in now {
            let capability = Capability(request)
            guard case .service = capability, let from = earlier[capability], from != module else {
                continue
            }
            changes.append(.bound(service: capability.word, from: from, to: module))
            running.bind(
                capability, judging: trial(of: capability, from: from, to: module, running, usual))
        }
    }

    package mutating func tellShares(_ running: inout Running) {
        for (service, shares) in running.takeNewShares() {
            changes.append(
                .shared(
                    service: service,
                    shares: shares.arms.map { BindingShare($0.module, $0.weight) }))
        }
    }

    /// Ends the switch: everything that was on its way serves now, or was refused.
    ///
    /// - Parameter rebound: The objects of services that come from other modules now.
    /// - Returns: The states that went over.
    package mutating func switched(
        _ running: inout Running, leaving rebound: RetiredInstances
    ) -> [StateTransfer] {
        var handed: [StateTransfer] = []
        for (id, var transfer) in transfers where transfer.isPrepared {
            // A module whose service is bound to another one stays loaded, and goes on with what is under way.
            if transfer.from.module != id { transfer.left = rebound }
            handed.append(transfer)
            running[module: id].postponement = nil
        }
        for id in staged.keys { self[id].staged = nil }
        return handed
    }
}

// The trials that a switch begins.
extension Look {
    private var terms: ProbationPolicy { disk.manifest.probation }

    /// The memory of the host with the trials that the switch begins. The store has to know them before the switch,
    /// because a module may crash as soon as it serves.
    package func expectingTrials(
        _ running: Running, serving served: [Facts.Served], usual: UsualCalls
    ) -> Running {
        var expected = running
        for (id, one) in staged {
            if let trial = trial(of: one, over: running[module: id].loaded, running, usual) {
                expected[module: id].trial = trial
            }
        }
        for (request, from) in served {
            let capability = Capability(request)
            guard let to = chosen[capability.key], to != from,
                let trial = trial(of: capability, from: from, to: to, running, usual)
            else { continue }
            expected[service: capability.key].trial = trial
        }
        return expected
    }

    /// The trial of a generation that serves from now on; `nil` if the host does not judge it.
    private func trial(
        of one: ModuleChange.Staged, over before: ModuleLife.Loaded?, _ running: Running,
        _ usual: UsualCalls
    ) -> TrialCase? {
        let (entry, code) = (one.module.entry, one.module.code)
        let life = running[module: entry.id]
        guard let before, let account = life.account, life.retreat == nil, entry.standIn == nil
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
        of capability: Capability, from: String, to: String, _ running: Running,
        _ usual: UsualCalls
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
        let account = running[module: to].account ?? CallAccount()
        return TrialCase(
            cause: .binding(key, from: from), entry: module.entry,
            number: made?.number ?? running.book.serving(to)?.number ?? 0,
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
