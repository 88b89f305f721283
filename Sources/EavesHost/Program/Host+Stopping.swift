// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesDiagnostics
import EavesLoader
import EavesRegistry
import EavesSystem

// The end of a host, and the state of its modules.
extension Host {
    /// Stops the modules that have a life cycle, each before the modules that it uses. From then on, the host loads no
    /// module and takes on no change; services that were created go on as far as their modules let them.
    ///
    /// A module uses those that provide what it declares to require, and those for whose shared services its code has
    /// asked. Modules that do not use each other, or that do so in a circle, stop in the reverse order of their
    /// starts.
    ///
    /// A program calls this when its work is done, before the process ends. Each module is stopped on a thread of
    /// its own, and the calling thread waits. Observers are warned of each module whose `stop` fails, or does not
    /// return in time; the host goes on without waiting for it.
    ///
    /// Safe from any thread. Only the first call stops modules; another one waits for it.
    ///
    /// - Parameter limit: The time for all of them. Each has an equal share of the time that those before it have
    ///   left.
    /// - Returns: Whether every module has stopped without an error.
    @discardableResult
    public func stop(within limit: Duration = .seconds(10)) -> Bool {
        stopping.withLock { stopModules(within: limit) }
    }

    private func stopModules(within limit: Duration) -> Bool {
        let uses = container.uses
        let running = modules.loader.exclusively { $0.stop(knowing: uses) }
        let end = ContinuousClock.now + limit
        var isClean = true
        for (index, one) in running.enumerated() {
            let share = ContinuousClock.now.duration(to: end) / (running.count - index)
            do throws(LifecycleError) {
                try one.lifecycle.stop(within: max(share, .milliseconds(1)))
            } catch {
                isClean = false
                modules.loader.tell(error, of: one.entry)
            }
        }
        live.endTrials()
        return isClean
    }

    /// The states of all modules that keep one, by the modules' ids: for a process that takes this one's place.
    ///
    /// - Throws: ``HostError`` with each module that gives no snapshot.
    package func stateSnapshots() throws(HostError) -> [String: [UInt8]] {
        let (snapshots, failures) = stateSnapshotsOrFailures()
        guard failures.isEmpty else { throw HostError(ModuleErrors(errors: failures)) }
        return snapshots
    }

    /// The states of all modules that give a snapshot, and the errors of those that do not, in the order of their ids.
    func stateSnapshotsOrFailures() -> ([String: [UInt8]], [ModuleError]) {
        let limit = live.policy.lifecycleLimit
        var (snapshots, failures): ([String: [UInt8]], [ModuleError]) = ([:], [])
        for (id, loaded) in modules.loader.exclusively({ $0.loaded }) {
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
    package func restoreWhenLoaded(_ snapshots: [String: [UInt8]]) {
        modules.loader.exclusively { $0.handed.merge(snapshots) { $1 } }
    }
}

/// Several modules failed.
private struct ModuleErrors: Error, Diagnosable {
    let errors: [ModuleError]

    var diagnostics: [Diagnostic] { errors.flatMap(\.diagnostics) }
}
