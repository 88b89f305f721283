// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesCatalog
import EavesDeclaration
package import EavesManifest
import EavesProcess
package import EavesQuarantine
import EavesRegistry
import EavesSystem

// The trials that the process before has begun.
extension Running {
    /// Goes on with trials of the process before, after what it has seen. Those of canaries go on as soon as the modules share
    /// calls here. If a file proves to be bad, it is kept out, and its last good copy in the store takes its place.
    ///
    /// - Parameter trials: Those that this process can take back.
    package mutating func goOn(
        with trials: [Trial], _ terms: ProbationPolicy, by policy: LivePolicy,
        at now: ContinuousClock.Instant = .now
    ) {
        for trial in trials where terms.isOn && !trial.isCanary {
            let id = trial.module.id
            guard let loaded = self[module: id].loaded, loaded.code?.digest.hex == trial.sha256
            else { continue }
            let number = self[module: id].book.serving?.number ?? trial.generation
            func item(_ cause: TrialCase.Cause) -> TrialCase {
                TrialCase(
                    cause: cause, entry: loaded.entry,
                    number: number, digest: trial.sha256,
                    account: CallAccount(), usual: nil,
                    probation: Probation(
                        terms, at: now, window: policy.window,
                        after: .init(bytes: trial.evidence ?? [])))
            }
            if let service = trial.service, let from = trial.from {
                let key = BindingKey(text: service)
                let item = item(.binding(key, from: from))
                self[service: key.capability].state = .judged(item)
            } else {
                let item = item(.file(ModuleLife.Loaded(entry: loaded.entry)))
                self[module: id].serving?.trial = item
            }
        }
    }
}

extension InheritedTrials {
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
