// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesDiagnostics

extension Host {
    /// Lets modules restore the states that the process before has handed over: those that are loaded now, and the
    /// others before they start.
    func restore(_ state: HandedState) throws {
        restoreWhenLoaded(state)
        let limit = live.policy.lifecycleLimit
        for (id, loaded) in modules.loader.exclusively({ $0.loaded }) {
            guard let snapshot = state[id], let lifecycle = loaded.lifecycle else { continue }
            do throws(LifecycleError) {
                try lifecycle.restore(snapshot, within: limit)
            } catch {
                throw ModuleError(loaded.entry, HandoverError.notRestored(error))
            }
        }
    }
}
