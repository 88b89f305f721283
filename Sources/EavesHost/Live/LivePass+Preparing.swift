// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesCatalog
import EavesDeclaration
import EavesDiagnostics
import EavesManifest
import EavesRegistry

// Prepares new generations for the switch, while other threads may load modules: lets them take on the state of the
// old ones, starts them, and asks for their health.
extension LivePass {
    mutating func prepare() {
        for id in modules(where: \.isAwaited) {
            self[id].isAwaited = false
            do throws(LifecycleError) {
                try modules.loader.board.wait(for: id)
            } catch {
                if let entry = disk.catalog.entry(id) {
                    self[id].obstacle = ModuleError(entry, error)
                }
            }
        }
        // A generation that was made may want a state, before it starts.
        guard !make() else { return }
        for (id, generation) in inOrderOfNeeds() where !generation.isPrepared { prepare(id) }
        for id in transfers.keys.sorted() where self[id].transfer?.isPrepared == false {
            prepareTransfer(to: id)
        }
        guard isReady, !transfers.isEmpty else { return }
        // Before calls have to wait: the store may take its time.
        record(expectingTrials)
        // The state that counts is the one right before the switch. From here on, no call changes it.
        shutGates()
        for id in transfers.keys.sorted() { renewTransfer(to: id) }
    }

    /// Holds back the calls of the modules whose states go over, until ``openGates()``. Where calls that are under way
    /// do not end in time, the exchange is put off, unless state may be lost.
    private mutating func shutGates() {
        closed = .now
        let closure = GateClosure(transfers.values.compactMap(\.from.gate))
        guard !closure.settles(within: policy.gateLimit) else {
            self.closure = closure
            return
        }
        closure.open()
        for (id, transfer) in transfers.sorted(by: { $0.key < $1.key }) {
            if !mayLoseState(transfer.to) {
                postpone(id, transfer, .callsGoOn(of: transfer.from.module, policy.gateLimit))
            }
        }
    }

    /// How long calls may be held back while a state goes over: three times as long as that took with all calls going on,
    /// if the policy has less.
    private func gateLimit(for transfer: StateTransfer) -> Duration {
        max(policy.gateLimit, transfer.time * 3)
    }

    /// Lets the calls go on that were held back.
    mutating func openGates() {
        closure?.open()
        closure = nil
    }

    private mutating func postpone(_ id: String, _ transfer: StateTransfer, _ reason: HandoverError)
    {
        let entry = transfer.to
        running.postpone(entry, from: transfer.from.module)
        if let lifecycle = self[id].staged?.generation.lifecycle { end(lifecycle, of: entry) }
        giveUp(id, ModuleError(entry, reason))
    }

    /// The generations that are on their way, each behind those whose services it requires.
    func inOrderOfNeeds() -> [(id: String, ModuleChange.Staged)] {
        let staged = staged
        guard staged.count > 1 else { return staged.map { ($0.key, $0.value) } }
        var order: [(id: String, ModuleChange.Staged)] = []
        var seen: Set<String> = []
        func visit(_ id: String) {
            guard let one = self[id].staged, seen.insert(id).inserted else { return }
            for service in one.generation.entry.declaration?.requires ?? [] {
                let capability = Capability.service(service, name: nil)
                if let provider = try? disk.catalog.provider(of: capability) { visit(provider.id) }
            }
            order.append((id, one))
        }
        staged.keys.sorted().forEach(visit)
        return order
    }

    private mutating func prepare(_ id: String) {
        guard let one = self[id].staged, let lifecycle = one.generation.lifecycle else { return }
        let generation = one.generation
        do {
            try handOver(to: lifecycle, generation.code, generation.entry)
            modules.loadNeeds(of: generation.entry, into: container)
            let (board, own) = (modules.loader.board, WaitGraph.current)
            defer { board.stopWaiting() }
            try lifecycle.start(
                container.resolver(forLifecycleOf: id), within: policy.lifecycleLimit
            ) { start in try board.working(for: own, start) }
            try lifecycle.checkHealth(within: policy.lifecycleLimit)
            running.book.advance(one.number, to: .selfChecked)
            self[id].staged?.isPrepared = true
        } catch {
            end(lifecycle, of: generation.entry)
            giveUp(id, ModuleError(generation.entry, error))
        }
    }

    /// Lets an object that nobody uses yet take on the state that it is to have.
    private mutating func handOver(
        to target: GenerationLifecycle, _ code: LoadedCode, _ entry: CatalogEntry
    ) throws {
        guard var transfer = self[entry.id].transfer else { return }
        let limit = policy.lifecycleLimit
        do {
            let maker = modules.loader.maker(disk)
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
            self[entry.id].transfer = transfer
        } catch {
            guard mayLoseState(entry) else { throw error }
            self[entry.id].transfer = nil
            self[entry.id].isStateless = true
        }
    }

    /// Hands the state over to a module that is loaded and serves nobody: a service is bound to it again.
    private mutating func prepareTransfer(to id: String) {
        guard let loaded = running[module: id].loaded, let lifecycle = loaded.lifecycle,
            let code = loaded.code
        else { return }
        do {
            try handOver(to: lifecycle, code, loaded.entry)
        } catch {
            giveUp(id, ModuleError(loaded.entry, error))
        }
    }

    private mutating func renewTransfer(to id: String) {
        guard var transfer = self[id].transfer, transfer.isPrepared else { return }
        let entry = self[id].staged?.generation.entry ?? running[module: id].loaded?.entry
        do throws(HandoverError) {
            try transfer.renew(until: closed + gateLimit(for: transfer))
            self[id].transfer = transfer
        } catch  where error.isLate && !mayLoseState(transfer.to) {
            postpone(
                id, transfer, .stateTakesLong(of: transfer.from.module, gateLimit(for: transfer)))
        } catch {
            guard let entry else { return }
            guard !mayLoseState(entry) else {
                self[id].transfer = nil
                self[id].isStateless = true
                return
            }
            if let lifecycle = self[id].staged?.generation.lifecycle { end(lifecycle, of: entry) }
            giveUp(id, ModuleError(entry, error))
        }
    }

    /// Whether a module may take the place of another one, or of an older file, whose state it does not take on.
    func mayLoseState(_ entry: CatalogEntry) -> Bool {
        // What is taken away from a bad module is worth more than the state that it cannot give.
        discardsState || disk.catalog.entry(entry.id)?.discardsState == true
            || running[module: entry.id].losesState
    }

    /// Notes that a generation, or a module that is loaded, does not get what it was to get with the switch.
    mutating func giveUp(_ id: String, _ error: ModuleError) {
        let transfer = self[id].transfer
        if let from = transfer, from.from.module != id, error.reason is HandoverError {
            // Nothing is wrong with the module. Its services may be asked for otherwise.
            running[module: id].untransferred[from.from.module] = StateTransfer.Refusal(
                from: from.entry, to: from.to, error: error)
        } else if self[id].staged?.isFirst == true {
            running[module: id].failure = error
        }
        self[id].transfer = nil
        guard let one = self[id].staged else { return }
        guard one.isFirst else { return refuse(one.generation.entry, one.number, error) }
        drop(id, because: error)
    }

    /// Drops the first generation of a module before it has served.
    mutating func drop(_ id: String, because error: ModuleError) {
        guard let one = self[id].staged else { return }
        self[id].transfer = nil
        running.book.refuse(one.number, because: error.diagnostics)
        release(id)
    }

    /// Drops everything that was prepared: the host has stopped.
    mutating func abandon() {
        for one in staged.values {
            let entry = one.generation.entry
            end(one.generation.lifecycle, of: entry)
            let error = ModuleError(entry, LifecycleError.hostStopped)
            running.book.refuse(one.number, because: error.diagnostics)
            release(entry.id)
        }
    }

    /// Stops what was started and will never serve.
    func end(_ lifecycle: GenerationLifecycle?, of entry: CatalogEntry) {
        do throws(LifecycleError) {
            try lifecycle?.stop(within: policy.lifecycleLimit)
        } catch {
            modules.loader.tell(error, of: entry)
        }
    }

    /// Notes that a service is to move from one module to another one.
    ///
    /// - Throws: If it is known that the other one cannot take on the state.
    mutating func announceTransfer(
        from module: String, to provider: CatalogEntry
    ) throws(ModuleError) {
        guard let old = keeper(of: module, for: provider) else { return }
        wantedTransfers.insert(StateTransfer.Pair(from: module, to: provider.id))
        guard let refusal = running[module: provider.id].untransferred[module] else { return }
        if refusal.from == old.entry, refusal.to == provider, !mayLoseState(provider) {
            throw refusal.error
        }
        running[module: provider.id].untransferred[module] = nil
    }

    /// Notes that a module that is loaded, or on its way, takes on the state of the one that has a service now.
    ///
    /// - Throws: If the state would be lost.
    mutating func demandTransfer(
        from module: String, to provider: CatalogEntry
    ) throws(ModuleError) {
        guard let old = keeper(of: module, for: provider), let lifecycle = old.lifecycle,
            let code = old.code
        else { return }
        do throws(HandoverError) {
            guard try isNewTransfer(of: lifecycle, to: provider) else { return }
            self[provider.id].transfer = StateTransfer(
                from: lifecycle, code: code, entry: old.entry, to: provider)
        } catch {
            if mayLoseState(provider) { return }
            let refusal = ModuleError(provider, error)
            if self[provider.id].staged?.isFirst == true {
                // It is not made again at each look.
                running[module: provider.id].untransferred[module] = StateTransfer.Refusal(
                    from: old.entry, to: provider, error: refusal)
                drop(provider.id, because: refusal)
            }
            throw refusal
        }
    }

    /// The loaded module that has a service now, if it keeps state which another one has to take on.
    private func keeper(
        of module: String, for provider: CatalogEntry
    ) -> ModuleLife.Loaded? {
        guard module != provider.id, !self[provider.id].isStateless,
            let old = running[module: module].loaded, old.lifecycle?.keepsState == true
        else { return nil }
        return old
    }

    /// Whether a module does not take on the state yet.
    ///
    /// - Throws: The reason why it cannot.
    private func isNewTransfer(
        of lifecycle: GenerationLifecycle, to provider: CatalogEntry
    ) throws(HandoverError) -> Bool {
        if let known = self[provider.id].transfer {
            if known.from === lifecycle { return false }
            throw .several([known.from.module, lifecycle.module].sorted())
        }
        let target =
            self[provider.id].staged?.generation.lifecycle
            ?? running[module: provider.id].loaded?.lifecycle
        guard let target, target.keepsState else { throw .keepsNone(of: lifecycle.module) }
        if container.served.contains(where: { $0.module == provider.id }) {
            throw .inUse(provider.id)
        }
        return true
    }
}
