// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesCatalog
import EavesDiagnostics
import EavesInterface
import EavesManifest
import EavesQuarantine
import EavesRegistry
import EavesSystem

/// Everything that a live host judges now: new files of modules, bindings to other modules, canaries.
struct TrialBook: Sendable {
    /// One module that is judged.
    struct Case: Sendable {
        /// What led to it.
        let cause: Cause
        let entry: CatalogEntry
        /// The number of the generation; 0 if it served before anybody wrote the book.
        let number: Int
        /// The digest of the code, so that just this content is kept out; `nil` if it cannot be read.
        let digest: String?
        let account: CallAccount
        /// The calls to compare with.
        let usual: CallAccount?
        var probation: Probation

        var module: String { entry.id }
    }

    enum Cause: Sendable {
        /// The module has a new file, or other settings. The last generation that was not judged is kept.
        case file(LoadOutcomes.Loaded)
        /// The service is bound to the module, and was bound to the other one.
        case binding(BindingKey, from: String)
        /// The module has a share of the service's calls; the other one has the rest.
        case canary(BindingKey, stable: String)
    }

    /// The new files, by the ids of their modules.
    var files: [String: Case] = [:]
    /// The bindings, by the keys of the capabilities.
    var bindings: [String: Case] = [:]
    /// The canaries, by the keys of the capabilities.
    private(set) var canaries: [String: [Case]] = [:]
    /// The modules that share a service, by the keys of the capabilities.
    private(set) var shares: [String: CallShares] = [:]
    /// The modules that go back to an earlier generation with the next switch.
    var retreats: [String: LoadOutcomes.Loaded] = [:]
    /// The bad files of the modules that go back, by their ids, and what they did.
    var barred: [String: LiveState.Refusal] = [:]
    /// The services that modules share from now on, by the keys of their capabilities.
    var begun: [String: (service: String, CallShares)] = [:]
    /// Where a binding was taken back although the manifest cannot be written: what it demands stays out.
    var overruled: [BindingKey: (bound: Binding.Target?, to: String)] = [:]
    /// The modules that may go back without the state of the bad ones, if those cannot give it.
    var losing: Set<String> = []
    /// The accounts of the generations that the present pass has made, by the ids of their modules.
    var accounts: [String: CallAccount] = [:]
    /// The trials of the process before, from which this one has taken over. The host judges no calls of them; one crash is
    /// enough, as there, until `end`.
    private var inherited: (trials: [Trial], end: ContinuousClock.Instant)?
    /// The files that have to wait, by the ids of their modules, and that were told already.
    var waiting: [String: CatalogEntry] = [:]

    var all: [Case] { Array(files.values) + bindings.values + canaries.values.joined() }

    var isEmpty: Bool {
        files.isEmpty && bindings.isEmpty && canaries.isEmpty && inherited == nil
    }
    /// The modules that are judged.
    var modules: Set<String> { Set(all.map(\.module)) }
    /// The end of the first window that ends.
    var nextEnd: ContinuousClock.Instant? {
        (all.map(\.probation.end) + [inherited?.end].compactMap(\.self)).min()
    }

    /// The accounts by module, for measured calls of services that nobody shares.
    var accountsByModule: [String: CallAccount] {
        Dictionary(
            (Array(files.values) + bindings.values).map { ($0.module, $0.account) },
            uniquingKeysWith: { first, _ in first })
    }

    /// What a module goes back to from what is loaded now: the last of it that is not judged.
    func proven(_ id: String, from loaded: LoadOutcomes.Loaded) -> LoadOutcomes.Loaded {
        if case .file(let earlier)? = files[id]?.cause { earlier } else { loaded }
    }

    /// Sets the shares of a capability. Modules that keep a share keep their accounts.
    ///
    /// - Parameter judge: Makes a case for each canary, given its account, the stable one's, and its share of the calls
    ///   of both.
    mutating func share(
        _ capability: String, _ weights: Weights, stable: String,
        judging judge: (_ canary: String, CallAccount, CallAccount, Double) -> Case?
    ) {
        let known = shares[capability]
        let wanted = weights.shares.filter { $0.weight > 0 }
        let isSame =
            known?.stable.module == stable
            && known?.arms.map { [$0.module: $0.weight] }
                == ([stable] + wanted.map(\.module).filter { $0 != stable }).map { module in
                    [module: wanted.first { $0.module == module }?.weight ?? 0]
                }
        if isSame { return }
        func arm(_ module: String) -> CallShares.Arm {
            let account =
                known?.arms.first { $0.module == module }?.account ?? CallAccount()
            return CallShares.Arm(
                module, weight: wanted.first { $0.module == module }?.weight ?? 0, account)
        }
        let usual = arm(stable)
        let others = wanted.filter { $0.module != stable }.map { arm($0.module) }
        let shared = CallShares(stable: usual, canaries: others)
        shares[capability] = shared
        let judged = canaries[capability] ?? []
        let cases = others.compactMap { arm -> Case? in
            let share = Double(arm.weight) / Double(arm.weight + usual.weight)
            guard var known = judged.first(where: { $0.account === arm.account }) else {
                return judge(arm.module, arm.account, usual.account, share)
            }
            known.probation.share = share
            return known
        }
        canaries[capability] = cases.isEmpty ? nil : cases
    }

    /// Ends the shares of a capability.
    mutating func endShares(_ capability: String) {
        shares[capability] = nil
        canaries[capability] = nil
    }

    /// Ends the trial of a module's file.
    mutating func endFile(_ id: String) {
        files.removeValue(forKey: id)?.account.close()
        waiting[id] = nil
    }

    /// Ends every trial of a module: it was switched off.
    mutating func end(_ id: String) {
        endFile(id)
        for (key, item) in bindings where item.module == id {
            item.account.close()
            bindings[key] = nil
        }
        for (key, shared) in shares where shared.arms.contains(where: { $0.module == id }) {
            endShares(key)
        }
    }

    /// Notes what the process before has judged.
    ///
    /// - Parameter end: When it would have been judged long enough.
    mutating func inherit(_ trials: [Trial], until end: ContinuousClock.Instant) {
        inherited = trials.isEmpty ? nil : (trials, end)
    }

    /// Looks at all cases, and decides.
    ///
    /// - Parameter illness: Says why a module is not healthy; `nil` if it is.
    /// - Returns: Those whose probation is over. They are no longer judged.
    mutating func judge(
        at now: ContinuousClock.Instant, illness: (String) -> String?
    ) -> [(Case, Probation.Verdict)] {
        if let inherited, inherited.end <= now { self.inherited = nil }
        var over: [(Case, Probation.Verdict)] = []
        func stays(_ item: inout Case) -> Bool {
            let verdict = item.probation.look(
                at: now, new: item.account.tally, old: item.usual?.tally,
                illness: illness(item.module))
            if verdict == .pending { return true }
            over.append((item, verdict))
            return false
        }
        for (id, item) in files.sorted(by: { $0.key < $1.key }) {
            var item = item
            if stays(&item) { files[id] = item } else { endFile(id) }
        }
        for (key, item) in bindings.sorted(by: { $0.key < $1.key }) {
            var item = item
            bindings[key] = stays(&item) ? item : nil
        }
        for (key, items) in canaries.sorted(by: { $0.key < $1.key }) {
            let left = items.compactMap { item -> Case? in
                var item = item
                if stays(&item) { return item }
                guard case .passed? = over.last?.1 else { return nil }
                // It keeps its share until the manifest gives it the next one.
                item.probation.restart(at: now)
                return item
            }
            if left.count < items.count {
                // A canary that has failed gets no call from the next switch on.
                endShares(key)
            } else {
                canaries[key] = left
            }
        }
        return over
    }

    /// The records for the store: one crash of what is judged is enough.
    func records(of process: Int) -> [Trial] {
        let own = all.compactMap { item -> Trial? in
            guard let digest = item.digest else { return nil }
            let (service, from): (String?, String?) =
                switch item.cause {
                case .file: (nil, nil)
                case .binding(let key, let before), .canary(let key, stable: let before):
                    (key.text, before)
                }
            return Trial(
                item.entry.suspect, sha256: digest, generation: item.number,
                service: service, from: from, process: process)
        }
        let others = (inherited?.trials ?? []).filter { other in
            !own.contains { $0.sha256 == other.sha256 && $0.service == other.service }
        }
        return (own + others.map { $0.passed(to: process) })
            .sorted { ($0.generation, $0.service ?? "") < ($1.generation, $1.service ?? "") }
    }
}

/// The reason why a running host does not swap something that is on probation.
enum ProbationObstacle: Error, Hashable, Sendable {
    /// The service was bound to the first module a short time ago, and is to be bound to the second one.
    case binding(String, judged: String, wanted: String)
    /// The module has a newer file than the one that is judged.
    case file(String)
    /// The module's file was judged, and the one before serves again.
    case bad(String)
}

extension ProbationObstacle: Diagnosable {
    var diagnostics: [Diagnostic] {
        switch self {
        case .binding(let service, let judged, let wanted):
            [
                Diagnostic(
                    "\(service) cannot go to '\(wanted)' yet: '\(judged)' is on probation there",
                    fix:
                        "go back with 'eaves rollback', or wait: the host takes the change on when "
                        + "the probation ends", code: .configuration)
            ]
        case .bad(let id):
            [
                Diagnostic(
                    "the file of '\(id)' was bad on probation, and the one before serves",
                    fix: "mend it: 'eaves quarantine' says what was wrong", code: .configuration)
            ]
        case .file(let id):
            [
                Diagnostic(
                    "the newer file of '\(id)' has to wait: the one before is on probation, and the "
                        + "manifest allows one at a time",
                    fix: "wait: the host takes it on when the probation ends",
                    code: .configuration)
            ]
        }
    }
}
