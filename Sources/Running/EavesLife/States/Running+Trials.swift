// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

package import EavesCatalog
import EavesDeclaration
package import EavesManifest
package import EavesQuarantine
package import EavesRegistry
package import EavesSystem

/// One module that a live host judges: for a new file, for a binding to it, or as a canary.
package struct TrialCase: Sendable {
    package enum Cause: Sendable {
        /// The module has a new file, or other settings. The last generation that was not judged is kept.
        case file(ModuleLife.Loaded)
        /// The service is bound to the module, and was bound to the other one.
        case binding(BindingKey, from: String)
        /// The module has a share of the service's calls; the other one has the rest.
        case canary(BindingKey, stable: String)
    }

    package let cause: Cause
    package let entry: CatalogEntry
    /// The number of the generation; 0 if it served before anybody wrote the book.
    let number: Int
    /// The digest of the code, so that just this content is kept out; `nil` if it cannot be read.
    package let digest: String?
    let account: CallAccount
    let usual: CallAccount?
    package var probation: Probation
    /// The digests of the interfaces that become part of the process for its sake.
    var interfaces: [String] = []

    package var module: String { entry.id }
    /// The service, and the module that has it otherwise; `nil` for a new file.
    package var service: (key: BindingKey, other: String)? {
        switch cause {
        case .file: nil
        case .binding(let key, let other), .canary(let key, stable: let other): (key, other)
        }
    }
    var isCanary: Bool { if case .canary = cause { true } else { false } }
}

// How a live host judges new files, bindings and canaries.
extension Running {
    package var trials: [TrialCase] {
        trialsOfSwaps + services.values.flatMap(\.canaries)
    }

    private var trialsOfSwaps: [TrialCase] {
        modules.values.compactMap(\.trial) + services.values.compactMap(\.trial)
    }

    package var judges: Bool { inherited != nil || !trials.isEmpty }

    var nextEnd: ContinuousClock.Instant? {
        (trials.map(\.probation.end) + [inherited?.nextLook].compactMap(\.self)).min()
    }

    /// The accounts by module, for measured calls of services that no modules share.
    package var accountsByModule: [String: CallAccount] {
        Dictionary(
            trialsOfSwaps.map { ($0.module, $0.account) },
            uniquingKeysWith: { first, _ in first })
    }

    package var sharesCalls: Bool { services.values.contains { $0.shares != nil } }

    /// The last generation of a module that is not judged, to which the module goes back from what is loaded now.
    package func proven(_ id: String, from loaded: ModuleLife.Loaded) -> ModuleLife.Loaded {
        if case .file(let earlier)? = self[module: id].trial?.cause { earlier } else { loaded }
    }

    /// The shares of a service from now on. Modules that keep a share keep their accounts.
    ///
    /// - Parameters:
    ///   - word: The service's word.
    ///   - judge: A function that makes a case for each canary, given its account, the stable one's, and its share of the
    ///     calls of both.
    /// - Returns: `nil` if the shares are those that the service has.
    func shares(
        of capability: String, _ word: String, _ weights: Weights, stable: String,
        judging judge: (_ canary: String, CallAccount, CallAccount, Double) -> TrialCase?
    ) -> ServiceLife.Shared? {
        let known = self[service: capability].shares
        let others = weights.eligible.filter { $0 != stable }
        let isSame =
            known?.stable.module == stable
            && known?.arms.map { [$0.module: $0.weight] }
                == ([stable] + others).map { [$0: weights.weight(of: $0) ?? 0] }
        if isSame { return nil }
        func arm(_ module: String) -> CallShares.Arm {
            let account =
                known?.arms.first { $0.module == module }?.account ?? CallAccount()
            return CallShares.Arm(module, weight: weights.weight(of: module) ?? 0, account)
        }
        let usual = arm(stable)
        let canaries = others.map(arm)
        let judged = self[service: capability].canaries
        let cases = canaries.compactMap { arm -> TrialCase? in
            let share = Double(arm.weight) / Double(arm.weight + usual.weight)
            guard var known = judged.first(where: { $0.account === arm.account }) else {
                return judge(arm.module, arm.account, usual.account, share)
            }
            known.probation.share = share
            return known
        }
        return ServiceLife.Shared(
            shares: CallShares(stable: usual, canaries: canaries), canaries: cases, newWord: word)
    }

    /// Begins the trials of a canary anew whose new file serves. The calls that are under way in the older one are noted
    /// where they were.
    mutating func judgeCanaryAnew(
        _ one: ModuleChange.Staged, at now: ContinuousClock.Instant = .now
    ) {
        let id = one.module.entry.id
        for (key, life) in services {
            guard var shared = life.shared,
                shared.shares.canaries.contains(where: { $0.module == id })
            else { continue }
            let account = CallAccount()
            shared.shares = CallShares(
                stable: shared.shares.stable,
                canaries: shared.shares.canaries.map { arm in
                    arm.module == id ? .init(id, weight: arm.weight, account) : arm
                })
            shared.canaries = shared.canaries.map { item in
                guard item.module == id else { return item }
                let old = item.probation
                return TrialCase(
                    cause: item.cause, entry: one.module.entry, number: one.number,
                    digest: one.module.code?.digest.hex, account: account, usual: item.usual,
                    probation: Probation(
                        old.policy, at: now, window: old.window, old: item.usual?.tally,
                        share: old.share))
            }
            take(.shares(key, shared))
        }
    }

    /// The services that modules share from this look on, with their keys and words.
    var newShares: [(key: String, word: String, CallShares)] {
        services.sorted { $0.key < $1.key }.compactMap { key, life in
            life.shared.flatMap { shared in shared.newWord.map { (key, $0, shared.shares) } }
        }
    }

    mutating func endFile(_ id: String) {
        self[module: id].trial?.account.close()
        self[module: id].serving?.trial = nil
        if case .waiting? = self[module: id].serving?.file { take(.file(id, .taken)) }
    }

    /// Ends every trial of a module: it is switched off. It has nothing to go back to any more.
    mutating func endTrials(of id: String) {
        endFile(id)
        for (key, life) in services {
            if let trial = life.trial, trial.module == id {
                trial.account.close()
                self[service: key].state = .settled
            }
            if life.shares?.arms.contains(where: { $0.module == id }) == true {
                take(.shares(key, nil))
            }
        }
    }

    package mutating func endTrials() {
        inherited = nil
        for (id, life) in modules {
            switch life.serving?.file {
            case .waiting, .goingBack: take(.file(id, .taken))
            default: break
            }
            if life.trial != nil { self[module: id].serving?.trial = nil }
        }
        for key in services.keys {
            self[service: key].state = .settled
            take(.shares(key, nil))
        }
    }

    /// Looks at all cases, and decides.
    ///
    /// - Parameters:
    ///   - isLast: Whether the host has stopped, so that no later look sees the calls of the present windows.
    ///   - illness: The reason why a module is not healthy; `nil` if it is.
    /// - Returns: Those whose probation is over. They are no longer judged.
    package mutating func judge(
        at now: ContinuousClock.Instant, isLast: Bool = false, illness: (String) -> String?
    ) -> [(TrialCase, Probation.Verdict)] {
        inherited?.end(at: now)
        var over: [(TrialCase, Probation.Verdict)] = []
        func stays(_ item: inout TrialCase) -> Bool {
            let limit = item.probation.longestCall
            let verdict = item.probation.look(
                at: now, new: item.account.tally(hangingAfter: limit),
                old: item.usual?.tally(hangingAfter: limit), crash: item.account.crash,
                illness: illness(item.module), isLast: isLast)
            if verdict == .pending { return true }
            over.append((item, verdict))
            return false
        }
        for (id, life) in modules.sorted(by: { $0.key < $1.key }) {
            guard var item = life.trial else { continue }
            if stays(&item) { self[module: id].serving?.trial = item } else { endFile(id) }
        }
        let services = services.sorted { $0.key < $1.key }
        for (key, life) in services {
            guard var item = life.trial else { continue }
            self[service: key].state = stays(&item) ? .judged(item) : .settled
        }
        for (key, life) in services where !life.canaries.isEmpty {
            let left = life.canaries.compactMap { item -> TrialCase? in
                var item = item
                if stays(&item) { return item }
                guard case .passed? = over.last?.1 else { return nil }
                // It keeps its share until the manifest gives it the next one.
                item.probation.restart(at: now)
                return item
            }
            if left.count < life.canaries.count {
                // A canary that has failed gets no call from the next switch on.
                take(.shares(key, nil))
            } else {
                self[service: key].shared?.canaries = left
            }
        }
        return over
    }

    /// The records for the store: one crash of what is judged is enough.
    ///
    /// - Parameter hasEvidence: Whether all of them have what was seen so far, for a process that goes on with them. One of
    ///   which something bad was seen always has that: this process may be killed.
    package func records(of process: Int, withEvidence hasEvidence: Bool = false) -> [Trial] {
        let own = trials.compactMap { item -> Trial? in
            guard let digest = item.digest else { return nil }
            return Trial(
                item.entry.suspect, sha256: digest, generation: item.number,
                service: item.service?.key.text, from: item.service?.other,
                isCanary: item.isCanary, process: process,
                evidence: hasEvidence || item.probation.evidence.speaksAgainst
                    ? item.probation.evidence.bytes : nil, needing: item.interfaces)
        }
        let others = (inherited.map { $0.trials + $0.pending } ?? []).filter { other in
            !own.contains { $0.sha256 == other.sha256 && $0.service == other.service }
        }
        return (own + others.map { $0.passed(to: process) })
            .sorted { ($0.generation, $0.service ?? "") < ($1.generation, $1.service ?? "") }
    }

    /// A manifest without the bindings that had to be taken back and could not be in the file.
    mutating func overruling(_ manifest: Manifest) -> Manifest {
        var choices = manifest.choices
        for (capability, life) in services {
            guard let ruling = life.ruling else { continue }
            let bound = manifest.chosen[ruling.key].flatMap { manifest.binding($0.key)?.target }
            if bound == ruling.bound {
                choices.demands.append(BindingChoices.Demand(ruling.key, ruling.module))
            } else {
                // The manifest has another binding by now, which counts.
                self[service: capability].ruling = nil
            }
        }
        return choices == manifest.choices ? manifest : manifest.choosing(choices)
    }
}

extension BindingKey {
    var capability: String { Capability.service(service, name: name).key }
}

// The trials of code that runs for the first time.
extension Running {
    /// The memory of the host with the trials that a generation begins before a byte of it runs: its constructors, or its
    /// entry point, may end the process. The store has to know them by then, so that the next process takes it back.
    ///
    /// - Parameters:
    ///   - entry: The module, with the file that is about to be loaded.
    ///   - digest: The digest of that file.
    ///   - interfaces: The digests of the interfaces that become part of the process before it.
    ///   - number: The number of the generation.
    ///   - loaded: The generation whose place it is to take; `nil` for the first one of its module.
    ///   - served: The services and features that were asked for, each with the module that answers.
    ///   - outlook: The manifest and the modules that say which services go to the module.
    package func expectingFirstRun(
        of entry: CatalogEntry, _ digest: SHA256Digest, needing interfaces: [SHA256Digest],
        number: Int, over loaded: ModuleLife.Loaded?, serving served: [Look.Facts.Served],
        by outlook: Outlook
    ) -> Running {
        let terms = outlook.manifest.probation
        let id = entry.id
        // The last good file was judged before, and so was the code to which a module goes back.
        guard terms.isOn, entry.standIn == nil, self[module: id].retreat == nil else { return self }
        func trial(_ cause: TrialCase.Cause) -> TrialCase {
            TrialCase(
                cause: cause, entry: entry, number: number, digest: digest.hex,
                account: CallAccount(), usual: nil,
                probation: Probation(terms, at: .now, window: .zero),
                interfaces: interfaces.map(\.hex))
        }
        var expected = self
        if let loaded {
            let good = proven(id, from: loaded)
            // Other settings of the good code are no reason to keep it out.
            guard good.code?.digest != digest else { return self }
            expected[module: id].serving?.trial = trial(
                .file(.init(entry: good.entry, code: good.code)))
            return expected
        }
        for (request, from) in served where from != id && self[module: from].isLoaded {
            let capability = Capability(request)
            let weights = outlook.manifest.sharedWeights(of: capability)
            guard let key = capability.bindingKey, self[service: capability.key].retreat != id,
                (try? outlook.catalog.provider(of: capability))?.id == id
                    || weights?.eligible.contains(id) == true
            else { continue }
            expected[service: capability.key].state = .judged(trial(.binding(key, from: from)))
        }
        return expected
    }
}
