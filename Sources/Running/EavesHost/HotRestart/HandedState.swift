// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesDiagnostics
import EavesModules
package import EavesProcess
import EavesRegistry
import EavesSystem

// The state of all modules of a host, for a process that takes the place of this one.
extension Host {
    /// The states of all modules that keep one, by the modules' ids: for a process that takes this one's place.
    ///
    /// - Throws: ``HostError`` with each module that gives no snapshot.
    package func stateSnapshots() throws(HostError) -> HandedState {
        let (snapshots, failures) = stateSnapshotsOrFailures()
        guard failures.isEmpty else { throw HostError(ModuleErrors(errors: failures)) }
        return snapshots
    }

    /// The states of all modules that give a snapshot, and the errors of those that do not, in the order of their ids.
    func stateSnapshotsOrFailures() -> (HandedState, [ModuleError]) {
        let limit = live.policy.lifecycleLimit
        var (snapshots, failures): (HandedState, [ModuleError]) = ([:], [])
        for (id, loaded) in modules.loader.running.loaded {
            do throws(LifecycleError) {
                snapshots[id] = try loaded.lifecycle?.snapshot(within: limit)
            } catch {
                failures.append(ModuleError(loaded.entry, HandoverError.noSnapshot(error)))
            }
        }
        return (snapshots, failures.sorted { $0.id < $1.id })
    }

    /// Lets modules restore these states when they are loaded, before they start. A module that cannot is refused.
    ///
    /// - Parameter snapshots: By the modules' ids. Those of modules that are loaded already have no effect.
    package func restoreWhenLoaded(_ snapshots: HandedState) {
        modules.loader.memory.exclusively {
            for (id, snapshot) in snapshots { modules.loader.running.hand(snapshot, to: id) }
        }
    }

    /// Lets modules restore these states: those that are loaded now, and the others before they start.
    ///
    /// - Throws: The error of the first module that cannot.
    func restore(_ snapshots: HandedState) throws(ModuleError) {
        restoreWhenLoaded(snapshots)
        if let error = restoreLoaded(snapshots).first { throw error }
    }

    /// Lets the modules that are loaded restore these states.
    ///
    /// - Returns: The errors of those that cannot, in the order of their ids.
    func restoreLoaded(_ snapshots: HandedState) -> [ModuleError] {
        let limit = live.policy.lifecycleLimit
        let loaded = modules.loader.running.loaded
        return snapshots.sorted { $0.key < $1.key }.compactMap { id, snapshot in
            guard let module = loaded[id], let lifecycle = module.lifecycle else { return nil }
            do throws(LifecycleError) {
                try lifecycle.restore(snapshot, within: limit)
                return nil
            } catch {
                return ModuleError(module.entry, HandoverError.notRestored(error))
            }
        }
    }

    /// Holds back the calls of all loaded modules that keep state.
    func holdStateCalls() -> GateClosure {
        let loaded = modules.loader.running.loaded
        return GateClosure(
            loaded.values.compactMap(\.lifecycle).filter(\.keepsState).compactMap(\.gate))
    }

    /// Takes on what another process has of the state when it ends: of modules that this one has not loaded yet, and of
    /// those to which nobody has written here.
    ///
    /// - Parameters:
    ///   - late: The state that the other process has.
    ///   - handed: The state that it had handed over before.
    /// - Returns: The modules of which this is not possible, so that the other process's state is lost.
    func takeOn(_ late: HandedState, after handed: HandedState) -> [String] {
        restoreWhenLoaded(late)
        let loaded = modules.loader.running.loaded
        let known = late.filter { loaded[$0.key] != nil }
        guard !known.isEmpty else { return [] }
        return live.betweenLooks {
            let calls = holdStateCalls()
            defer { calls.open() }
            guard calls.settles(within: live.policy.gateLimit) else { return Array(known.keys) }
            let (present, _) = stateSnapshotsOrFailures()
            let untouched = known.filter {
                handed[$0.key] != nil && handed[$0.key] == present[$0.key]
            }
            return known.keys.filter { untouched[$0] == nil } + restoreLoaded(untouched).map(\.id)
        }
    }
}

/// Several modules failed.
private struct ModuleErrors: Error, DiagnosableList {
    let errors: [ModuleError]

    var diagnostics: [Diagnostic] { errors.flatMap(\.diagnostics) }
}
