// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesCatalog
import EavesDeclaration
import EavesManifest
import EavesRegistry
import EavesSystem

// How the switch puts on probation what serves from now on.
extension LivePass {
    private var terms: ProbationPolicy { look.disk.manifest.probation }

    /// Notes that another generation of a module serves.
    ///
    /// - Parameter before: The module as it was loaded before; `nil` if it was not.
    mutating func judge(_ one: ModuleChange.Staged, over before: ModuleLife.Loaded?) {
        let id = one.module.entry.id
        let trial = trial(of: one, over: before)
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

    /// The memory of the host with the trials that the switch begins. The store has to know them before the switch,
    /// because a module may crash as soon as it serves.
    var expectingTrials: Running {
        var expected = running
        for (id, one) in look.staged {
            if let trial = trial(of: one, over: running[module: id].loaded) {
                expected[module: id].trial = trial
            }
        }
        for (request, from) in container.served {
            let capability = Capability(request)
            guard let to = look.chosen[capability.key], to != from,
                let trial = trial(of: capability, from: from, to: to)
            else { continue }
            expected[service: capability.key].trial = trial
        }
        return expected
    }

    /// The trial of a generation that serves from now on; `nil` if the host does not judge it.
    private func trial(
        of one: ModuleChange.Staged, over before: ModuleLife.Loaded?
    ) -> TrialCase? {
        let (entry, code) = (one.module.entry, one.module.code)
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
            cause: .file(earlier), entry: entry, number: one.number,
            digest: code?.digest.hex, account: account, usual: nil,
            probation: probation(account, unlike: entry.id))
    }

    /// The trial of a service that comes from another module from now on; `nil` if the host does not judge it.
    func trial(of capability: Capability, from: String, to: String) -> TrialCase? {
        let life = running[service: capability.key]
        // Going back is no swap that anybody has to judge, whether a person goes back or the host.
        if case .binding(_, from: to)? = life.trial?.cause { return nil }
        if life.retreat == to { return nil }
        let made = look[to].staged
        guard terms.isOn, let key = capability.bindingKey, life.ruling == nil,
            let module = made?.module ?? running[module: to].loaded, let code = module.code,
            running[module: from].loaded != nil
        else { return nil }
        let account = running[module: to].account ?? CallAccount()
        return TrialCase(
            cause: .binding(key, from: from), entry: module.entry,
            number: made?.number ?? running.book.serving(to)?.number ?? 0,
            digest: code.digest.hex, account: account, usual: nil,
            probation: probation(account, unlike: from))
    }

    /// The probation of something that takes the place of a module, or of an older generation of it.
    private func probation(_ account: CallAccount, unlike module: String) -> Probation {
        Probation(
            terms, at: .now, window: look.policy.window, new: account.tally,
            usual: container.accounts.usualCalls(of: module))
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
            look.changes.append(
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

extension CallAccounts {
    /// Measures the calls of what is judged.
    ///
    /// - Parameter keepsUsual: Whether to note those of all other modules, too, to compare with.
    func judge(_ running: Running, keepingUsual keepsUsual: Bool) {
        set(running.accountsByModule, sharing: running.sharesCalls, keepingUsual: keepsUsual)
    }
}
