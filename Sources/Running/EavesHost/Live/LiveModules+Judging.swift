// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesDeclaration
import EavesDiagnostics
import EavesLife
import EavesManifest
import EavesModules
import EavesQuarantine
import EavesRegistry
import EavesSystem
import Glibc
import Synchronization

// How a live host judges what it has swapped, and takes back what is bad.
extension LiveModules {
    /// The modules on probation that are not healthy, with the reasons. No lock is held while they say so.
    var illnesses: [String: String] {
        let judged = Set(running.trials.map(\.module))
        guard !judged.isEmpty else { return [:] }
        var illnesses: [String: String] = [:]
        for id in judged {
            guard let lifecycle = running[module: id].loaded?.lifecycle else { continue }
            do throws(LifecycleError) {
                try lifecycle.checkHealth(within: policy.lifecycleLimit)
            } catch {
                illnesses[id] = error.words
            }
        }
        return illnesses
    }

    /// Judges what is on probation, and takes back what is bad.
    ///
    /// - Parameter isLast: Whether the host has stopped.
    /// - Returns: Whether the host has to act on it: something failed, or something else may have waited for its end.
    func judge(
        _ illnesses: [String: String], isLast: Bool = false, _ changes: inout [HostChange]
    ) -> Bool {
        guard running.judges else { return false }
        // Trials of other processes go on once their modules have numbers.
        running.enter(numbers.next)
        var isDecisive = false
        for (item, verdict) in running.judge(at: .now, isLast: isLast, illness: { illnesses[$0] }) {
            switch verdict {
            case .pending: break
            case .passed:
                let code = running[module: item.module].loaded?.code
                if code?.digest.hex == item.digest { keepLastGood(code, of: item.module) }
                let service = item.service?.key.word.text
                if case .canary(let key, _) = item.cause { raise(item, key, &changes) }
                if case .file = item.cause { container.accounts.forgetUsual(item.module) }
                changes.append(.proven(module: item.module, service: service))
                if service != nil || modules.manifest.probation.isOneAtATime { isDecisive = true }
            case .failed(let reasons):
                isDecisive = true
                changes.append(.rolledBack(takeBack(item, reasons)))
            }
        }
        return isDecisive
    }

    /// Raises a canary's share of the calls to the next one, in the manifest.
    private func raise(_ item: TrialCase, _ key: BindingKey, _ changes: inout [HostChange]) {
        let share = item.probation.share
        guard let step = item.probation.policy.step(after: share) else { return }
        do {
            try ManifestEditor.edit(modules.manifest.path) { editor in
                _ = try editor.raise(
                    key.text, of: item.module, from: share, to: step,
                    because: "passed its probation with less")
            }
        } catch {
            // The next probation tries it again.
            changes.append(.kept(HostError(error)))
        }
    }

    private func takeBack(_ item: TrialCase, _ reasons: [String]) -> HostChange.Retreat {
        var problems: [Diagnostic] = []
        let reason = "rolled back on probation: \(reasons.joined(separator: "; "))"
        running.goBack(from: item)
        var code: LoadedCode?
        if case .file(let before) = item.cause { code = before.code }
        let isQuarantined = keepOut(item, unlike: code, reason, &problems)
        if let (service, target) = item.service {
            do {
                try ManifestEditor.edit(modules.manifest.path) { editor in
                    _ = try editor.retreat(
                        service.text, from: item.module, to: target, because: reason)
                }
            } catch {
                // A manifest that others write, such as a ConfigMap, stays as it is. The host goes back all the same.
                let bound = modules.manifest.chosen[service].flatMap {
                    modules.manifest.binding($0.key)?.target
                }
                running.overrule(service, bound: bound, with: target)
                problems += HostError(error).problems
            }
        }
        return HostChange.Retreat(
            module: item.module, service: item.service?.key.word.text, to: item.service?.other,
            reasons: reasons, isQuarantined: isQuarantined, problems: problems)
    }

    /// Keeps the content of a module out, in the store.
    ///
    /// - Parameter code: The code that serves again. Other settings of the same code are no reason to keep it out.
    private func keepOut(
        _ item: TrialCase, unlike code: LoadedCode?, _ reason: String,
        _ problems: inout [Diagnostic]
    ) -> Bool {
        guard let digest = item.digest, code?.digest.hex != digest else { return false }
        do throws(QuarantineError) {
            try QuarantineStore(modules.manifest.store).keepOut(
                item.entry.suspect, sha256: digest, because: reason,
                since: WallClock.second)
            return true
        } catch {
            problems += HostError(error).problems
            return false
        }
    }

    /// Lets the store know what is judged, so that one crash of it is enough.
    ///
    /// - Parameter hasEvidence: Whether to tell what was seen of it, too.
    func record(_ running: Running, withEvidence hasEvidence: Bool = false) {
        let process = Int(getpid())
        let records = running.records(of: process, withEvidence: hasEvidence)
        recorded.withLock { recorded in
            guard recorded != nil, recorded != records else { return }
            recorded = records
            // The new files serve already, and may crash soon: the host keeps what was good before anything else.
            for case .file(let before)? in running.modules.values.map(\.trial?.cause) {
                keepLastGood(before.code, of: before.entry.id)
            }
            // Without a store, three crashes are needed, as of any other module.
            try? QuarantineStore(modules.manifest.store).setTrials(records, of: process)
        }
    }

    /// Keeps a copy of a module's file, for hosts that start while the module's own file is kept out. Without a store that
    /// can be written, there is none.
    func keepLastGood(_ code: LoadedCode?, of module: String) {
        try? code?.keepAsLastGood(of: module, in: modules.manifest.store)
    }

    /// Keeps a copy of the file that is loaded of a module, because a fresh process will load another one, and may end with it.
    func keepLastGoodBeforeRestart(_ id: String) {
        guard let loaded = running[module: id].loaded else { return }
        let module = loaded.entry.declaration?.interfaceStamp?.module
        let interface = module.flatMap { InterfaceLoader.copy(of: $0) }.map {
            LoadedCode(nil, of: loaded.entry, from: $0, signedBy: nil)
        }
        keepLastGood(loaded.code ?? interface, of: id)
    }

    /// Goes on to judge what another process has judged. One crash of it is enough for a probation's shortest time, also
    /// where it cannot be taken back here otherwise.
    ///
    /// - Parameter process: The process before; `nil` for all that are gone: the bad file may be the reason for that.
    func inheritTrials(of process: Int32?) {
        let manifest = modules.manifest
        let store = QuarantineStore(manifest.store)
        // Without a store, three crashes are needed, as of any other module.
        let known = try? process.map { try store.trials(of: Int($0)) } ?? store.trialsOfGone()
        guard let trials = known, !trials.isEmpty else { return }
        let goods = LastGoodStore(manifest.store)
        let judged = trials.filter { trial in
            // The manifest may have another binding by now.
            if let service = trial.service {
                return manifest.chosen[BindingKey(text: service)].map {
                    $0.module == trial.module.id
                } ?? true
            }
            // Other settings of the last good file are taken back by the process that has those before.
            return goods.file(of: trial.module.id).map { $0.digest.hex != trial.sha256 } ?? false
        }
        running.enter(numbers.next)
        running.inherit(trials, judging: judged, manifest.probation, by: policy)
        resumeTrials()
    }

    /// Goes on with the trials of a module that was loaded just now, from its first call on.
    func goOnJudging() {
        guard running.awaitsModules else { return }
        running.enter(numbers.next)
        resumeTrials()
    }

    private func resumeTrials() {
        container.accounts.judge(running, keepingUsual: modules.manifest.probation.isOn)
        record(running)
        wake()
    }

    /// Leaves what is on probation to the next host, with what was seen of it: this one has stopped. Its supervisor may
    /// start another one at once, again and again if a bad file ends each of them.
    func endTrials() {
        // A fresh process that takes over has them already. A signal ends calls, which says nothing of the module.
        let isTakenOver = isHeld
        if !isTakenOver, Host.endingSignal == nil {
            var changes: [HostChange] = []
            _ = judge([:], isLast: true, &changes)
            changes.forEach(report)
        }
        record(isTakenOver ? Running() : running, withEvidence: true)
        // A look that is under way ends without a switch, and records nothing.
        recorded.withLock { $0 = nil }
        running.endTrials()
        container.accounts.judge(Running(), keepingUsual: false)
    }

    /// Lets bindings that draw at each call do so from now on: the host stays up.
    func beginSharing() {
        // No thread looks at the disk meanwhile.
        telling.withLock {
            guard running.shareCalls(besides: modules.manifest.choices),
                let choices = running.manifest.choices
            else { return }
            let manifest = modules.manifest.choosing(choices).drawn
            if manifest.chosen.choices.contains(where: { $0.reason == .call }) {
                modules.turn(to: Outlook(manifest, holding: running.files))
            }
        }
    }

    /// Lets the modules share a capability that was just asked for the first time. The caller is about to
    /// resolve it, and holds no lock.
    func share(_ capability: Capability) {
        guard let key = capability.bindingKey,
            modules.manifest.chosen[key]?.reason == .call
        else { return }
        // A look that is under way shares the calls soon after.
        decideUnlessLooking()
        wake()
    }
}
