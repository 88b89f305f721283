// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesCatalog
import EavesLife
import EavesLoader
import EavesModules
import EavesQuarantine
import EavesRegistry
import EavesSystem

// Makes generations, which no caller reaches yet.
extension LivePass {
    mutating func makeNext(_ entry: CatalogEntry, over loaded: ModuleLife.Loaded) {
        var number: Int?
        do throws(ModuleError) {
            let maker = modules.loader.maker(look.disk, inMemory: true)
            let checked = try maker.check(entry)
            if loaded.isInterface { return plan { $0.keepInterface(loaded.entry, entry) } }
            let known = try running.code(of: entry, with: checked.copy.digest)
            if known === loaded.code, entry.settings == loaded.entry.settings,
                entry.hasSamePlace(as: loaded.entry)
            {
                // The file was touched, or signed.
                running.take(.touched(entry))
                return
            }
            if known == nil, let room = ProcessRoom.shortage() {
                throw ModuleError(entry, LoadError.exhausted(room))
            }
            try make(checked, by: maker, over: loaded, &number)
        } catch {
            if plan({ $0.isChanging(entry, error) }) {
                refuseGeneration(number, of: entry, error)
                return
            }
            if entry.isSameFile(as: loaded.entry), error.isOfSignature {
                return plan { $0.keeps(loaded.entry, because: error) }
            }
            if error.meansHang {
                // The new file is kept out.
                live.keepLastGood(running.proven(entry.id, from: loaded).code, of: entry.id)
            }
            refuse(entry, number, error)
        }
    }

    /// Makes a generation of the code that served before: what came after it has proved to be bad.
    mutating func goBack(_ entry: CatalogEntry, to back: ModuleLife.Loaded) {
        let id = entry.id
        let quarantine = QuarantineCheck(QuarantineStore(modules.manifest.store))
        if let record = back.code.flatMap({ quarantine.obstacle(to: id, $0.digest) }) {
            let error = UnusableModuleError(entry: back.entry, .quarantined(record))
            return refuse(back.entry, nil, ModuleError(back.entry, error))
        }
        running.take(.barred(entry))
        look.keeps(back.entry)
        guard let code = back.code, let bad = running[module: id].loaded else { return }
        var number: Int?
        do throws(ModuleError) {
            let maker = modules.loader.maker(look.disk, inMemory: true)
            try make(maker.checked(code, as: back.entry), by: maker, over: bad, &number)
        } catch {
            // It has registered before, so this is rare. The bad one serves on.
            refuse(back.entry, number, error)
        }
    }

    /// Makes the first generation of a module that a service is bound to now.
    mutating func makeFirst(_ entry: CatalogEntry, by outlook: Outlook) throws(ModuleError) {
        var entry = entry
        // The outlooks of later rounds know what this catalog knows.
        let catalog = look.disk.catalog
        try ModuleError.naming(entry) {
            guard try modules.freshen(entry, among: catalog) else { return }
            catalog.refresh()
            if outlook.catalog !== catalog { outlook.catalog.refresh() }
            entry = catalog.entry(entry.id) ?? entry
        }
        let (id, board) = (entry.id, modules.loader.board)
        // If another thread has taken it, the next round waits for that.
        guard case .claimed = try modules.loader.claim(entry) else { return }
        defer { if !claimed.contains(id) { board.end(id) } }
        try modules.loader.noting(entry) { () throws(ModuleError) in
            try Catalog.knowing(entry, { catalog }) { entry throws(ModuleError) in
                var number: Int?
                do throws(ModuleError) {
                    let maker = modules.loader.maker(outlook)
                    try make(maker.check(entry), by: maker, over: nil, &number)
                } catch {
                    refuseGeneration(number, of: entry, error)
                    throw error
                }
            }
        }
        if look[id].staged?.module.lifecycle != nil {
            // Threads that ask for it meanwhile wait for it.
            claimed.insert(id)
            board.start(id)
        }
    }

    /// Loads a module whose file was checked, lets it register, and writes each step into the book.
    ///
    /// - Parameters:
    ///   - loaded: The generation that serves now, if there is one.
    ///   - number: The number of the new generation, as soon as it has one.
    private mutating func make(
        _ checked: CheckedModule, by maker: GenerationMaker, over loaded: ModuleLife.Loaded?,
        _ number: inout Int?
    ) throws(ModuleError) {
        var checked = checked
        let entry = checked.entry
        let begun = begin(entry)
        number = begun
        checked.number = begun
        let advance = { [memory = modules.loader.memory] (state: GenerationState) in
            memory.value.take(.advanced(begun, of: entry.id, to: state))
        }
        advance(.checked)
        var interfaces: [SHA256Digest] = []
        func expectFirstRun() {
            live.record(
                running.expectingFirstRun(
                    of: entry, checked.copy.digest, needing: interfaces, number: begun,
                    over: loaded, serving: container.served, by: maker.outlook))
        }
        try modules.loader.bringInInterfaces(of: entry, maker) { interface in
            interfaces.append(interface)
            expectFirstRun()
        }
        expectFirstRun()
        let account = look.disk.manifest.probation.isOn ? CallAccount() : nil
        let generation = try maker.make(checked, counting: account, advance)
        let problem = plan {
            $0.made(begun, generation.loaded, over: loaded, counting: account)
        }
        if let problem { throw problem }
        made[begun] = generation
    }

    private func begin(_ entry: CatalogEntry) -> Int {
        let number = live.numbers.next()
        running.take(.begun(number, entry))
        return number
    }

    private func refuseGeneration(_ number: Int?, of entry: CatalogEntry, _ error: ModuleError) {
        guard let number else { return }
        running.take(.refusedGeneration(number, of: entry.id, because: error))
    }

    /// Refuses a new file of a loaded module.
    ///
    /// - Parameter number: The number of its generation; `nil` if it has none yet.
    mutating func refuse(_ entry: CatalogEntry, _ number: Int?, _ error: ModuleError) {
        let number = number ?? begin(entry)
        plan { $0.refuse(entry, number, error) }
        // The same code may have been tried with other settings.
        let life = running[module: entry.id]
        if let code = life.loaded?.code, let serving = life.book.serving {
            code.name(serving.number)
        }
    }
}

// Prepares what was made for the switch: lets it take on the state of what serves, starts it, and asks for its health.
extension LivePass {
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
            plan { $0.started(id) }
        } catch {
            plan { $0.giveUp(id, ModuleError(generation.entry, error)) }
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
            plan { $0.giveUp(id, ModuleError(loaded.entry, error)) }
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
            // Both codes register once more, to check that the state arrives and finds its way back.
            guard let new = try maker.lifecycle(of: code, as: entry), new.keepsState,
                let old = transfer.old.code,
                let back = try maker.lifecycle(of: old, as: transfer.old.entry)
            else { throw HandoverError.keepsNone(of: transfer.from.module) }
            transfer.snapshot = try transfer.checkWay(to: new, andBack: back, within: limit)
            do throws(LifecycleError) {
                try target.restore(transfer.snapshot, within: limit)
            } catch {
                throw HandoverError.notRestored(error)
            }
            transfer.target = target
            transfer.time = .now - start
            look.hands(over: transfer)
        } catch {
            guard mayLoseState(transfer) else { throw error }
            look.loseState(transfer)
        }
    }

    /// Hands over the states as they are right before the switch. From here on, no call changes them.
    ///
    /// Where calls that are under way do not end in time, the exchange is put off, unless state may be lost. Calls that have
    /// put it off for long are left out.
    mutating func handOverLastStates() {
        // Before calls have to wait: the store may take its time.
        live.record(expectingTrials)
        let (limit, patience) = (look.policy.gateLimit, look.policy.drainDeadline)
        let gates = look.transfers.values.compactMap(\.from.gate)
        let isInVain = GateClosure.isInVain(gates, leavingOutAfter: patience)
        let closure = isInVain ? nil : GateClosure(gates, leavingOutAfter: patience)
        if let closure, closure.settles(within: limit) {
            self.closure = closure
            look.transfers.values.compactMap { $0.from.warning(of: closure) }.forEach(modules.warn)
        } else {
            closure?.open()
            for (id, transfer) in look.transfers.sorted(by: { $0.key < $1.key })
            where !mayLoseState(transfer) {
                plan { $0.postpone(id, .callsGoOn(of: transfer.from.module, limit)) }
            }
        }
        let settled = ContinuousClock.now
        for id in look.transfers.keys.sorted() { renewTransfer(to: id, from: settled) }
    }

    private mutating func mayLoseState(_ transfer: StateTransfer) -> Bool {
        plan { $0.mayLoseState(of: transfer.from.module, to: transfer.to) }
    }

    private mutating func renewTransfer(to id: String, from settled: ContinuousClock.Instant) {
        guard var transfer = look[id].transfer, transfer.isPrepared else { return }
        let limit = transfer.limit(by: look.policy)
        do throws(HandoverError) {
            try transfer.renew(until: settled + limit)
            look.hands(over: transfer)
        } catch {
            if mayLoseState(transfer) {
                look.loseState(transfer)
            } else if error.isLate {
                plan { $0.postpone(id, .stateTakesLong(of: transfer.from.module, limit)) }
            } else {
                plan { $0.giveUp(id, ModuleError(transfer.to, error)) }
            }
        }
    }
}
