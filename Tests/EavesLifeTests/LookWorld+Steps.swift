// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesCatalog
import EavesDeclaration
import EavesDiagnostics
import EavesELF
import EavesInterface
import EavesManifest
import EavesSystem
import EavesTestSupport

@testable import EavesLife
@testable import EavesRegistry

// The steps of a look, and its switch.
extension LookWorld {
    /// Looks once, and takes all steps.
    ///
    /// - Returns: The look after its switch.
    mutating func look() throws -> Look {
        // A file that stays unfinished is refused with the next look.
        now += .seconds(2)
        var look = Look(at: try outlook(), policy: LivePolicy())
        var rounds = 0
        while true {
            enter()
            let facts = facts
            let steps = plan(&look) { $0.next(knowing: facts) }
            checkServing()
            if steps.isEmpty { break }
            rounds += 1
            guard rounds < 100 else {
                mistakes.append("the look does not end: \(steps)")
                return look
            }
            for step in steps {
                try take(step, &look)
                others()
                checkServing()
            }
        }
        publish(&look)
        return look
    }

    /// Looks until no look lets something else be taken on, as `LiveModules` does.
    mutating func takeOn() throws {
        for _ in 0...Self.services.count + Self.modules.count {
            let before = (served, running.loaded.mapValues(\.entry))
            let look = try look()
            let hasSwitched = before != (served, running.loaded.mapValues(\.entry))
            guard look.isPartial || running.hasTold && hasSwitched else { break }
        }
    }

    /// Checks that each service comes from a module that is loaded.
    mutating func checkServing() {
        for (place, module) in served {
            check(
                running[module: module].isLoaded,
                "\(Self.services[place]) comes from \(module), which is not loaded")
        }
    }

    /// Runs a part of the plan, and takes on what it has decided.
    @discardableResult
    mutating func plan<Result>(_ look: inout Look, _ part: (inout Look) -> Result) -> Result {
        let (result, events) = look.plan(over: running, part)
        for event in events { running.take(event) }
        return result
    }

    mutating func take(_ step: Look.Step, _ look: inout Look) throws {
        let facts = facts
        hasLastStates = false
        switch step {
        case .compare(let id):
            note("compare \(id)")
            let one = disk[id].flatMap { $0.isThere ? $0 : nil }
            let found = look.disk.catalog.entry(id)
            let file = FoundFile(
                entry: found, identity: found?.status.map { FileIdentity($0) },
                isIncomplete: one?.isIncomplete == true)
            plan(&look) { $0.compared(id, with: file, knowing: facts) }
            check(
                one?.isIncomplete == true || !running[module: id].isUnfinished,
                "\(id) waits for a file that is whole or gone")
        case .wait(let id):
            note("wait for \(id)")
            loading.remove(id)
            if happens(8), let one = disk[id] {
                look.cannotHave(id, because: failure(entry(id, one)))
            } else {
                happens(4) ? fail(id) : load(id)
            }
        case .refuse(let entry, let error):
            note("refuse \(entry.id)")
            let number = begin(entry)
            plan(&look) { $0.refuse(entry, number, error) }
        case .makeNext(let entry, let loaded):
            note("make the next \(entry.id)")
            check(running[module: entry.id].isLoaded, "\(entry.id) is not loaded")
            make(entry, over: loaded, &look)
        case .goBack(let entry, let back):
            note("go back with \(entry.id)")
            running.take(.barred(entry))
            look.keeps(back.entry)
            guard let bad = running[module: entry.id].loaded else { return }
            make(back.entry, over: bad, &look)
        case .makeFirst(let entry, _):
            note("make the first \(entry.id)")
            check(!running[module: entry.id].isLoaded, "\(entry.id) is loaded already")
            check(look[entry.id].staged == nil, "\(entry.id) is on its way already")
            make(entry, over: nil, &look)
        case .start(let id):
            note("start \(id)")
            guard let one = look[id].staged else {
                return mistakes.append("\(id) is to start, and is not on its way")
            }
            check(!one.isPrepared, "\(id) is to start twice")
            if !isFair, happens(5) {
                let error = failure(one.module.entry)
                plan(&look) { $0.giveUp(id, error) }
            } else if handOver(id, to: one.module, &look) {
                plan(&look) { $0.started(id) }
            }
        case .handOver(let id):
            note("hand over to \(id)")
            guard let loaded = running[module: id].loaded else {
                return mistakes.append("\(id) is to take on a state, and is not loaded")
            }
            _ = handOver(id, to: loaded, &look)
        case .handOverLastStates:
            note("hand over the last states")
            hasLastStates = true
            for (id, transfer) in look.transfers {
                check(transfer.isPrepared, "\(id) gets a last state, and has had none")
                guard !isFair, happens(6) else { continue }
                if plan(&look, { $0.mayLoseState(transfer) }) {
                    look.loseState(transfer)
                } else {
                    let reason = HandoverError.callsGoOn(of: transfer.from.module, .seconds(1))
                    plan(&look) { $0.postpone(id, reason) }
                }
            }
        }
    }

    mutating func handOver(
        _ id: String, to target: ModuleLife.Loaded, _ look: inout Look
    ) -> Bool {
        guard look[id].transfer != nil else { return true }
        check(target.lifecycle?.keepsState == true, "\(id) gets a state, and keeps none")
        if isFair || !happens(6) {
            if var transfer = look[id].transfer {
                transfer.target = target.lifecycle
                look.hands(over: transfer)
            }
        } else if let transfer = look[id].transfer, plan(&look, { $0.mayLoseState(transfer) }) {
            look.loseState(transfer)
        } else {
            let error = ModuleError(target.entry, HandoverError.changedOnTheWayBack)
            plan(&look) { $0.giveUp(id, error) }
            return false
        }
        return true
    }

    mutating func begin(_ entry: CatalogEntry) -> Int {
        number += 1
        running.take(.begun(number, entry))
        return number
    }

    /// Makes a generation, or fails at one of the steps on the way.
    mutating func make(
        _ entry: CatalogEntry, over loaded: ModuleLife.Loaded?, _ look: inout Look
    ) {
        let way: [GenerationState] = [.checked, .loaded, .registered]
        let reached =
            isFair || !happens(4) ? way.count : Int.random(in: 0..<way.count, using: &chance)
        let number = begin(entry)
        for state in way.prefix(reached) {
            running.take(.advanced(number, of: entry.id, to: state))
        }
        var error: ModuleError?
        if reached == way.count {
            let module = module(entry)
            let one = ModuleChange.Staged(
                number: number, module: module, isFirst: loaded == nil,
                isPrepared: module.lifecycle == nil)
            error = plan(&look) { $0.made(one, over: loaded) }
        } else {
            error = failure(entry)
        }
        guard let error else { return }
        if loaded != nil {
            plan(&look) { $0.refuse(entry, number, error) }
        } else {
            running.take(.refusedGeneration(number, of: entry.id, because: error))
            running.fail(entry.id, because: error)
            look.cannotHave(entry.id, because: error)
        }
    }
}

// The switch.
extension LookWorld {
    mutating func publish(_ look: inout Look) {
        note("switch to \(look.chosen.sorted { $0.key < $1.key })")
        let known = running
        let (before, judged, servedBefore) = (running.loaded, running.services, facts.served)
        check(look.transfers.isEmpty || hasLastStates, "states go over that are not the last ones")
        check(look.transfers.count <= 1, "calls wait for the state of another module")
        for (id, transfer) in look.transfers where transfer.from.module != id {
            check(!served.values.contains(id), "\(id) has a state, and takes on another one")
        }
        for one in look.inOrderOfNeeds() {
            let id = one.module.entry.id
            check(one.isPrepared, "\(id) serves, and has not started")
            if let lifecycle = before[id]?.lifecycle {
                checkState(of: lifecycle, goesTo: id, look, known)
            }
            let (isRetreat, proven) = (
                running[module: id].retreat != nil,
                before[id].map { running.proven(id, from: $0) }
            )
            _ = plan(&look) { $0.serves(one, leaving: RetiredInstances()) { _ in nil } }
            if !isRetreat, let proven { begin(one, insteadOf: proven) }
        }
        var moved: [(place: Int, from: String, to: String)] = []
        for place in served.keys {
            guard let from = served[place] else { continue }
            let key = Capability(Self.requests[place]).key
            if let to = look.chosen[key] {
                if to != from, let lifecycle = before[from]?.lifecycle {
                    checkState(of: lifecycle, goesTo: to, look, known)
                }
                served[place] = to
                if to != from { moved.append((place, from, to)) }
            } else if look.stopping.contains(from) {
                served[place] = nil
            }
        }
        for id in look.stopping {
            _ = plan(&look) { $0.stopped(id, leaving: RetiredInstances()) }
            for place in served.keys where served[place] == id { served[place] = nil }
        }
        let now = facts.served
        plan(&look) { $0.tellBindings(from: servedBefore, to: now) { _ in nil } }
        for (place, from, to) in moved {
            let trial = judged[Capability(Self.requests[place]).key]?.trial
            judge(place, movedFrom: from, to: to, unlike: trial)
        }
        for (key, life) in running.services {
            for arm in life.shares?.arms ?? [] {
                check(
                    running[module: arm.module].isLoaded,
                    "\(arm.module) has a share of \(key), and is not loaded")
            }
        }
        _ = plan(&look) { $0.switched(leaving: RetiredInstances()) }
        checkServing()
        for record in running.generations where record.state.isOnItsWay {
            mistakes.append("generation \(record.number) of \(record.module) is still on its way")
        }
        for (id, life) in running.modules where life.retreat != nil {
            // Without its file, a module stands as it is, and goes back later.
            check(
                life.isLoaded && disk[id]?.isThere == false,
                "\(id) is still to go back to what served before")
        }
        for id in running.loaded.keys {
            let serving = running[module: id].book.records.filter { $0.state == .serving }
            check(serving.count <= 1, "\(serving.count) generations of \(id) serve")
        }
    }

    /// Puts a new file on probation: the look itself judges code alone, and here is none.
    mutating func begin(_ one: ModuleChange.Staged, insteadOf proven: ModuleLife.Loaded) {
        let id = one.module.entry.id
        running[module: id].serving?.trial = TrialCase(
            cause: .file(ModuleLife.Loaded(entry: proven.entry)),
            entry: one.module.entry, number: one.number, digest: nil, account: CallAccount(),
            usual: nil,
            probation: Probation(ProbationPolicy(), at: .now, window: .seconds(1)))
    }

    /// Puts a service on probation that comes from another module now, unless it has gone back.
    ///
    /// - Parameter known: The trial of the service before.
    mutating func judge(
        _ place: Int, movedFrom from: String, to: String, unlike known: TrialCase?
    ) {
        let capability = Capability(Self.requests[place])
        if case .binding(_, from: to)? = known?.cause { return }
        guard let key = capability.bindingKey, let loaded = running[module: to].loaded else {
            return
        }
        running[service: capability.key].state = .judged(
            TrialCase(
                cause: .binding(key, from: from), entry: loaded.entry, number: 0, digest: nil,
                account: CallAccount(), usual: nil,
                probation: Probation(ProbationPolicy(), at: .now, window: .seconds(1))))
    }

    /// Checks that the state of what serves no longer is not lost.
    mutating func checkState(
        of lifecycle: GenerationLifecycle, goesTo id: String, _ look: Look, _ known: Running
    ) {
        guard lifecycle.keepsState else { return }
        let transfer = look[id].transfer
        let arrives = transfer?.from === lifecycle && transfer?.isPrepared == true
        let entry = look[id].staged?.module.entry ?? known[module: id].loaded?.entry
        var look = look
        let mayBeLost = look.plan(over: known) { look in
            entry.map { look.mayLoseState(of: lifecycle.module, to: $0) } ?? false
        }.0
        check(arrives || mayBeLost, "the state of \(lifecycle.module) is lost on its way to \(id)")
    }
}
