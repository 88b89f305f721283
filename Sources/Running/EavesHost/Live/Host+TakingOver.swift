// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesDeclaration
import EavesDiagnostics
package import EavesLife
import EavesManifest
import EavesModules
import EavesQuarantine
package import EavesRegistry
package import EavesSystem

/// Snapshots of the states of modules, by the modules' ids.
package typealias HandedState = [String: [UInt8]]

// The parts of a host that a process which takes this one's place gets, or takes on.
extension Host {
    package var servingModules: [String] {
        live.generations.filter { $0.state == .serving }.map(\.module)
    }

    package var files: [String: String] { live.running.files }

    /// The modules whose present files only a fresh process can take on, by their ids.
    package var awaitingFreshProcess: [String: FileIdentity] { live.running.awaitingFreshProcess }

    package static var endingSignal: Int32? { StopSignals.shared.ending }

    package func noteFailedRestart(_ error: HostError) { live.running.noteFailedRestart(error) }

    /// Goes on with what a process has judged that this one takes over from.
    package func inheritTrials(of process: Int32) {
        follower.reports.takeOver(from: process)
        live.inheritTrials(of: process)
    }

    /// Lets the store know what was seen of each trial so far, for a process that takes over.
    package func leaveTrials() { live.record(live.running, withEvidence: true) }

    /// Lets modules in that are kept out for the number of their crashes alone: without them, the process before could not
    /// begin its work.
    package func retryCrashedModules() {
        // Without a store, no module is kept out.
        let ids = (try? QuarantineStore(manifest.store).retry()) ?? []
        guard !ids.isEmpty else { return }
        for id in ids {
            observers.warn(
                Diagnostic(
                    "\(id): is let in until it crashes again, because no host could begin its work without it",
                    fix: "put a mended file in its place", code: .crashed))
        }
        catchUp()
    }

    package func withdrawReport() { follower.reports.end() }

    package func holdLooks() { live.holdLooks() }

    package func resumeLooks() { live.resumeLooks() }

    /// The modules that services come from, by the keys of bindings, except services whose calls modules share.
    package var providers: [String: String] {
        let chosen = modules.manifest.chosen
        var providers = Dictionary(
            uniqueKeysWithValues: chosen.choices.lazy.filter { $0.reason != .call }
                .map { ($0.key.text, $0.module) })
        for (request, module) in container.served {
            guard let key = Capability(request).bindingKey, chosen[key]?.reason != .call else {
                continue
            }
            providers[key.text] = module
        }
        return providers
    }

    /// Loads modules, in their files as they are now. Modules that are switched off are left out.
    ///
    /// - Parameters:
    ///   - files: The files that the process before has loaded, by their ids: these are not taken by other files.
    ///   - bindings: The ``providers`` of the process before. The host goes by them, whatever the manifest says now, until
    ///     it looks: then the state of a module goes to the one that takes its place.
    ///   - state: Snapshots of their states, which they restore before they start.
    /// - Returns: The first module that is not there; `nil` if all are.
    package func load(
        _ ids: [String], from files: [String: String] = [:], bound bindings: [String: String] = [:],
        restoring state: HandedState
    ) throws -> String? {
        try modules.checkManifest()
        modules.turn(to: Outlook(modules.manifest.binding(bindings), holding: files))
        try restore(state)
        for id in ids {
            guard let entry = modules.catalog.entry(id) else { return id }
            guard entry.isEnabled, entry.declaration?.interface == nil else { continue }
            if try modules.freshen(entry, among: modules.catalog) { modules.catalog.refresh() }
            try modules.load(modules.catalog.entry(id) ?? entry, into: container)
        }
        return nil
    }
}

// The state of all modules of a host.
extension Host {
    /// The time that calls under way in modules that keep state have to end before it goes over.
    package var gateLimit: Duration { live.policy.gateLimit }

    package var keepsState: Bool { !stateKeepers.isEmpty || !handedStates.isEmpty }

    /// The states that the process before has handed over for modules that are not loaded yet.
    private var handedStates: HandedState {
        modules.loader.running.modules.compactMapValues(\.handed)
    }

    private var stateKeepers: [GenerationLifecycle] {
        modules.loader.running.loaded.values.compactMap(\.lifecycle).filter(\.keepsState)
    }

    /// Holds back the calls of all loaded modules that keep state, and first loads of such modules: each of them is either
    /// loaded when this returns, or not before the closure is opened.
    package func holdStateCalls() -> GateClosure {
        modules.loader.memory.exclusively {
            let closure = GateClosure(
                stateKeepers.compactMap(\.gate), leavingOutAfter: live.policy.drainDeadline)
            modules.loader.stateClosure.value = closure
            return closure
        }
    }

    /// Whether ``holdStateCalls()`` would hold calls back in vain: others go on that were under way the last time.
    package var holdsStateCallsInVain: Bool {
        GateClosure.isInVain(
            stateKeepers.compactMap(\.gate), leavingOutAfter: live.policy.drainDeadline)
    }

    /// Warns of the calls without which the state goes over.
    package func tellLeftOutCalls(of closure: GateClosure) {
        stateKeepers.compactMap { $0.warning(of: closure) }.forEach(observers.warn)
    }

    package func stateSnapshots() throws(HostError) -> HandedState {
        let (snapshots, failures) = stateSnapshotsOrFailures()
        guard failures.isEmpty else { throw HostError(ModuleErrors(errors: failures)) }
        return snapshots
    }

    /// The modules whose states are others than those that were handed over, or are not known, in the order of their ids.
    package func stateChanges(since handed: HandedState) -> [String] {
        let (snapshots, failures) = stateSnapshotsOrFailures()
        let changed = snapshots.filter { handed[$0.key] != $0.value }.keys
        return (changed + failures.map(\.id)).sorted()
    }

    private func stateSnapshotsOrFailures() -> (HandedState, [ModuleError]) {
        let limit = live.policy.lifecycleLimit
        var (snapshots, failures) = (handedStates, [] as [ModuleError])
        for (id, loaded) in modules.loader.running.loaded {
            do throws(LifecycleError) {
                snapshots[id] = try loaded.lifecycle?.snapshot(within: limit)
            } catch {
                failures.append(ModuleError(loaded.entry, HandoverError.noSnapshot(error)))
            }
        }
        return (snapshots, failures.sorted { $0.id < $1.id })
    }

    /// Lets modules restore these states: those that are loaded now, and the others before they start, or before they
    /// serve. One of those that cannot is refused.
    ///
    /// - Throws: The error of the first loaded module that cannot.
    package func restore(_ snapshots: HandedState) throws(ModuleError) {
        modules.loader.memory.exclusively {
            for (id, snapshot) in snapshots { modules.loader.running.hand(snapshot, to: id) }
        }
        let limit = live.policy.lifecycleLimit
        let loaded = modules.loader.running.loaded
        for (id, snapshot) in snapshots.sorted(by: { $0.key < $1.key }) {
            guard let module = loaded[id] else { continue }
            guard let lifecycle = module.lifecycle, lifecycle.keepsState else {
                throw ModuleError(module.entry, HandoverError.keepsNone(of: id))
            }
            do throws(LifecycleError) {
                try lifecycle.restore(snapshot, within: limit)
            } catch {
                throw ModuleError(module.entry, HandoverError.notRestored(error))
            }
        }
    }
}

private struct ModuleErrors: Error, DiagnosableList {
    let errors: [ModuleError]

    var diagnostics: [Diagnostic] { errors.flatMap(\.diagnostics) }
}
