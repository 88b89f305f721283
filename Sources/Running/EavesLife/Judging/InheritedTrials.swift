// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesCatalog
import EavesDeclaration
package import EavesManifest
import EavesProcess
package import EavesQuarantine
import EavesRegistry
import EavesSystem

/// The probations that other processes had begun: the one that this process took over from, or one that is gone.
package struct InheritedTrials: Sendable {
    /// Those that this process does not judge. One crash is enough, as there, until they would be over.
    var trials: [Trial]
    /// Those that this process goes on with as soon as their modules are loaded, which wakes the judge.
    var pending: [Trial]
    let terms: ProbationPolicy
    let window: Duration
    /// When the trials would be over that this process does not judge.
    let end: ContinuousClock.Instant

    /// A module that is not loaded within a day is no longer waited for.
    private static let patience = Duration.seconds(86_400)

    /// When time alone ends some of them.
    var nextLook: ContinuousClock.Instant { trials.isEmpty ? end + Self.patience : end }

    var isEmpty: Bool { trials.isEmpty && pending.isEmpty }
}

// The trials that other processes have begun.
extension Running {
    /// Notes what other processes had begun to judge, and goes on with it, after what they have seen. Trials of canaries go on
    /// as soon as the modules share calls here. If a file proves to be bad, it is kept out, and its last good copy in the store
    /// takes its place.
    ///
    /// - Parameter judged: Those whose modules this process can take back.
    package mutating func inherit(
        _ trials: [Trial], judging judged: [Trial], _ terms: ProbationPolicy, by policy: LivePolicy,
        at now: ContinuousClock.Instant = .now
    ) {
        let judged = judged.filter { terms.isOn && !$0.isCanary }
        inherited = InheritedTrials(
            trials: (inherited?.trials ?? []) + trials.filter { !judged.contains($0) },
            pending: (inherited?.pending ?? []) + judged, terms: terms,
            window: policy.window, end: now + .seconds(terms.seconds))
        for module in loaded.values { goOnJudging(module, at: now) }
    }

    /// Goes on with the trials of a module that is loaded, and has its number.
    mutating func goOnJudging(_ module: ModuleLife.Loaded, at now: ContinuousClock.Instant = .now) {
        let id = module.entry.id
        guard let inherited, let digest = module.code?.digest.hex else { return }
        let number = self[module: id].book.serving?.number
        let own = inherited.pending.filter { $0.module.id == id && $0.sha256 == digest }
        for trial in own {
            func item(_ cause: TrialCase.Cause) -> TrialCase {
                TrialCase(
                    cause: cause, entry: module.entry,
                    number: number ?? trial.generation, digest: digest, account: CallAccount(),
                    usual: nil,
                    probation: Probation(
                        inherited.terms, at: now, window: inherited.window,
                        after: .init(bytes: trial.evidence ?? [])))
            }
            if let service = trial.service, let from = trial.from {
                let key = BindingKey(text: service)
                self[service: key.capability].state = .judged(item(.binding(key, from: from)))
            } else {
                let file = TrialCase.Cause.file(ModuleLife.Loaded(entry: module.entry))
                self[module: id].serving?.trial = item(file)
            }
        }
        // Those of another file are over: it is no longer there.
        self.inherited?.pending.removeAll { $0.module.id == id }
    }

    /// Whether trials go on as soon as modules are loaded.
    package var awaitsModules: Bool { inherited?.pending.isEmpty == false }
}

extension InheritedTrials {
    /// Forgets those that would be over by now.
    mutating func end(at now: ContinuousClock.Instant) {
        if end <= now { trials = [] }
        if end + Self.patience <= now { pending = [] }
    }

    /// Everything that the process before has seen of a canary; `nil` if it judged none with this code.
    func evidence(ofCanary module: ModuleLife.Loaded, _ key: BindingKey) -> Probation.Evidence? {
        let trial = trials.first { trial in
            trial.isCanary && trial.service == key.text && trial.module.id == module.entry.id
                && trial.sha256 == module.code?.digest.hex
        }
        return trial?.evidence.flatMap { Probation.Evidence(bytes: $0) }
    }
}

extension Probation.Evidence {
    /// Whether something speaks against what is judged, so that the next process has to know if this one is killed.
    var speaksAgainst: Bool {
        sickTime != nil || [errors, ownErrors, halves, slowest].contains { $0.evidence > 0 }
    }

    /// The value for the store; `nil` if it cannot be coded.
    var bytes: [UInt8]? {
        (try? Frame.bytes(of: self)).map { Array($0.dropFirst(Frame.headSize)) }
    }

    /// - Returns: `nil` if the bytes are those of no evidence, so that a probation begins anew.
    init?(bytes: [UInt8]) {
        guard let known = try? Frame.value(Self.self, in: bytes) else { return nil }
        self = known
    }
}
