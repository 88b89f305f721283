// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesCatalog
import EavesDeclaration
import EavesLife
import EavesLoader
import EavesManifest
import EavesModules
import EavesRegistry

// Prepares what was made for the switch: lets it take on the state of what serves, starts it, and asks for its health.
extension LivePass {
    /// Starts a generation that was made.
    mutating func start(_ id: String) {
        guard let one = look[id].staged, let generation = made[one.number],
            let lifecycle = generation.lifecycle
        else { return }
        let limit = look.policy.lifecycleLimit
        do {
            try handOver(to: lifecycle, generation.code, generation.entry)
            try modules.loader.start(
                generation, in: container, within: limit, hasState: look[id].transfer != nil
            ) {
                modules.loadNeeds(of: generation.entry, into: container)
            }
            look.started(id, &running)
        } catch {
            look.giveUp(id, ModuleError(generation.entry, error), &running)
        }
    }

    /// Hands the state over to a module that is loaded and that no caller reaches: a service is bound to it again.
    mutating func handOver(toLoaded id: String) {
        guard let loaded = running[module: id].loaded, let lifecycle = loaded.lifecycle,
            let code = loaded.code
        else { return }
        do {
            try handOver(to: lifecycle, code, loaded.entry)
        } catch {
            look.giveUp(id, ModuleError(loaded.entry, error), &running)
        }
    }

    /// Lets an object that no caller reaches yet take on the state that it is to have.
    ///
    /// - Throws: If it cannot, and the state must not be lost.
    private mutating func handOver(
        to target: GenerationLifecycle, _ code: LoadedCode, _ entry: CatalogEntry
    ) throws {
        guard var transfer = look[entry.id].transfer else { return }
        let limit = look.policy.lifecycleLimit
        do {
            let maker = modules.loader.maker(look.disk)
            let start = ContinuousClock.now
            transfer.snapshot = try transfer.check(
                with: code, as: entry, by: maker, within: limit)
            do throws(LifecycleError) {
                try target.restore(transfer.snapshot, within: limit)
            } catch {
                throw HandoverError.notRestored(error)
            }
            transfer.target = target
            transfer.time = .now - start
            look.hands(over: transfer)
        } catch {
            guard look.mayLoseState(entry, running) else { throw error }
            look.loseState(of: entry.id)
        }
    }

    /// Hands over the states as they are right before the switch. From here on, no call changes them.
    ///
    /// Where calls that are under way do not end in time, the exchange is put off, unless state may be lost.
    mutating func handOverLastStates() {
        // Before calls have to wait: the store may take its time.
        record(expectingTrials)
        let closed = ContinuousClock.now
        let closure = GateClosure(look.transfers.values.compactMap(\.from.gate))
        let limit = look.policy.gateLimit
        if closure.settles(within: limit) {
            self.closure = closure
        } else {
            closure.open()
            for (id, transfer) in look.transfers.sorted(by: { $0.key < $1.key })
            where !look.mayLoseState(transfer.to, running) {
                look.postpone(id, .callsGoOn(of: transfer.from.module, limit), &running)
            }
        }
        for id in look.transfers.keys.sorted() { renewTransfer(to: id, from: closed) }
    }

    private mutating func renewTransfer(to id: String, from closed: ContinuousClock.Instant) {
        guard var transfer = look[id].transfer, transfer.isPrepared else { return }
        // As long as that took with all calls going on, three times, if the policy has less.
        let limit = max(look.policy.gateLimit, transfer.time * 3)
        do throws(HandoverError) {
            try transfer.renew(until: closed + limit)
            look.hands(over: transfer)
        } catch {
            if look.mayLoseState(transfer.to, running) {
                look.loseState(of: id)
            } else if error.isLate {
                look.postpone(id, .stateTakesLong(of: transfer.from.module, limit), &running)
            } else {
                look.giveUp(id, ModuleError(transfer.to, error), &running)
            }
        }
    }
}

extension StateTransfer {
    /// Checks, with objects that no call reaches, that the state arrives and finds its way back.
    ///
    /// - Parameters:
    ///   - code: The code that is to take on the state.
    ///   - limit: The time that each function has.
    /// - Returns: The state to hand over.
    func check(
        with code: LoadedCode, as entry: CatalogEntry, by maker: GenerationMaker,
        within limit: Duration
    ) throws -> [UInt8] {
        let before = try HandoverError.naming(HandoverError.noSnapshot) {
            () throws(LifecycleError) in
            try from.snapshot(within: limit) ?? []
        }
        guard let new = try maker.lifecycle(of: code, as: entry), new.keepsState else {
            throw HandoverError.keepsNone(of: from.module)
        }
        let between = try HandoverError.naming(HandoverError.notRestored) {
            () throws(LifecycleError) in
            try new.restore(before, within: limit)
            return try new.snapshot(within: limit) ?? []
        }
        guard let code = self.old.code,
            let old = try maker.lifecycle(of: code, as: self.old.entry)
        else {
            throw HandoverError.keepsNone(of: from.module)
        }
        let after = try HandoverError.naming(HandoverError.noWayBack) { () throws(LifecycleError) in
            try old.restore(between, within: limit)
            return try old.snapshot(within: limit) ?? []
        }
        guard before == after else { throw HandoverError.changedOnTheWayBack }
        return before
    }
}
