// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesDiagnostics
import EavesLife
import EavesLoader
import EavesModules
import EavesRegistry
import EavesSystem

extension Host {
    /// Stops the modules that have a life cycle, each before the modules that it uses. From then on, the host loads no
    /// module and takes on no change; services that were created go on as far as their modules let them.
    ///
    /// A module uses those that provide what it declares to require. Modules that do not use each other, or that do so in
    /// a circle, stop in the reverse order of their starts.
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
        let running = modules.loader.running.stop()
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
}
