// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

package import EavesCatalog
import EavesDeclaration
import EavesRegistry

// How a look decides which module takes on the state of which other one.
extension Look {
    /// Whether a module may take the place of another one, or of an older file, whose state it does not take on.
    package func mayLoseState(_ entry: CatalogEntry, _ running: Running) -> Bool {
        // What is taken away from a bad module is worth more than the state that it cannot give.
        discardsState || disk.catalog.entry(entry.id)?.discardsState == true
            || running[module: entry.id].losesState
    }

    /// Lets a generation take on the state of the one whose place it takes.
    ///
    /// - Throws: If the state would be lost.
    mutating func demandTransfer(
        from old: ModuleLife.Loaded, to new: ModuleLife.Loaded, _ running: Running
    ) throws(ModuleError) {
        guard let lifecycle = old.lifecycle, lifecycle.keepsState else { return }
        let entry = new.entry
        if new.lifecycle?.keepsState == true {
            self[entry.id].transfer = StateTransfer(from: lifecycle, of: old, to: entry)
        } else if !mayLoseState(entry, running) {
            throw ModuleError(entry, HandoverError.keepsNone(of: entry.id))
        }
    }

    /// Notes that a service is to move from one module to another one.
    ///
    /// - Throws: If it is known that the other one cannot take on the state.
    mutating func announceTransfer(
        from module: String, to provider: CatalogEntry, _ running: inout Running
    ) throws(ModuleError) {
        guard let (old, _) = keeper(of: module, for: provider, running) else { return }
        wantedTransfers.insert(StateTransfer.Pair(from: module, to: provider.id))
        guard let refusal = running[module: provider.id].untransferred[module] else { return }
        if refusal.from == old.entry, refusal.to == provider, !mayLoseState(provider, running) {
            throw refusal.error
        }
        running[module: provider.id].untransferred[module] = nil
    }

    /// Notes that a module that is loaded, or on its way, takes on the state of the one that has a service now.
    ///
    /// - Throws: If the state would be lost.
    mutating func demandTransfer(
        from module: String, to provider: CatalogEntry, _ running: inout Running, _ facts: Facts
    ) throws(ModuleError) {
        guard let (old, lifecycle) = keeper(of: module, for: provider, running) else { return }
        do throws(HandoverError) {
            guard try isNewTransfer(of: lifecycle, to: provider, running, facts) else { return }
            self[provider.id].transfer = StateTransfer(from: lifecycle, of: old, to: provider)
        } catch {
            if mayLoseState(provider, running) { return }
            let refusal = ModuleError(provider, error)
            if self[provider.id].staged?.isFirst == true {
                // It is not made again at each look.
                running[module: provider.id].untransferred[module] = StateTransfer.Refusal(
                    from: old.entry, to: provider, error: refusal)
            }
            throw refusal
        }
    }

    /// The loaded module that has a service now, if it keeps state which another one has to take on.
    private func keeper(
        of module: String, for provider: CatalogEntry, _ running: Running
    ) -> (ModuleLife.Loaded, GenerationLifecycle)? {
        guard module != provider.id, !self[provider.id].isStateless,
            let old = running[module: module].loaded, let lifecycle = old.lifecycle,
            lifecycle.keepsState
        else { return nil }
        return (old, lifecycle)
    }

    /// Whether a module does not take on the state yet.
    ///
    /// - Throws: The reason why it cannot.
    private func isNewTransfer(
        of lifecycle: GenerationLifecycle, to provider: CatalogEntry, _ running: Running,
        _ facts: Facts
    ) throws(HandoverError) -> Bool {
        if let known = self[provider.id].transfer {
            if known.from === lifecycle { return false }
            throw .several([known.from.module, lifecycle.module].sorted())
        }
        let target = self[provider.id].staged?.module ?? running[module: provider.id].loaded
        guard target?.lifecycle?.keepsState == true else { throw .keepsNone(of: lifecycle.module) }
        if facts.served.contains(where: { $0.module == provider.id }) { throw .inUse(provider.id) }
        return true
    }

    /// Puts off a transfer that was not possible now.
    package mutating func postpone(_ id: String, _ reason: HandoverError, _ running: inout Running)
    {
        guard let transfer = self[id].transfer else { return }
        running.postpone(transfer.to, from: transfer.from.module)
        giveUp(id, ModuleError(transfer.to, reason), &running)
    }

    /// Notes that a module does not take on a state that may be lost.
    package mutating func loseState(of id: String) {
        self[id].transfer = nil
        self[id].isStateless = true
    }
}
