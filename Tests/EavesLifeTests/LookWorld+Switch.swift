// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesCatalog
import EavesDeclaration
import EavesManifest
import EavesQuarantine

@testable import EavesLife
@testable import EavesRegistry

// Prepares the switch.
extension LookWorld {
    func start(_ id: String, _ look: inout Look) {
        guard let one = look[id].staged, !one.isPrepared else {
            return mistakes.append("\(id) is to start, and is not on its way")
        }
        let content = self.content(of: one.module.entry)
        do throws(ModuleError) {
            try handOver(to: one.module, &look)
            for service in content.requires { ask(service) }
            if content.traits.contains(.doesNotStart) {
                throw ModuleError(one.module.entry, LifecycleError.unhealthy)
            }
            plan(&look) { $0.started(id) }
        } catch {
            plan(&look) { $0.giveUp(id, error) }
        }
    }

    func handOver(
        to target: ModuleLife.Loaded, _ look: inout Look
    ) throws(ModuleError) {
        let entry = target.entry
        guard var transfer = look[entry.id].transfer else { return }
        check(target.lifecycle?.keepsState == true, "\(entry.id) gets a state, and keeps none")
        guard content(of: entry).traits.contains(.cannotRestore) else {
            transfer.target = target.lifecycle
            return look.hands(over: transfer)
        }
        guard plan(&look, { $0.mayLoseState(of: transfer.from.module, to: transfer.to) }) else {
            throw ModuleError(entry, HandoverError.changedOnTheWayBack)
        }
        look.loseState(transfer)
    }

    func handOverLastStates(_ look: inout Look) {
        let transfers = look.transfers.sorted { $0.key < $1.key }
        for (id, transfer) in transfers {
            check(transfer.isPrepared, "\(id) gets a last state, and has had none")
        }
        check(transfers.count <= 1, "calls wait for the state of another module")
        guard transfers.contains(where: { busy.contains($1.from.module) }) else { return }
        for (id, transfer) in transfers
        where !plan(&look, { $0.mayLoseState(of: transfer.from.module, to: transfer.to) }) {
            let reason = HandoverError.callsGoOn(of: transfer.from.module, .seconds(1))
            plan(&look) { $0.postpone(id, reason) }
            if running[module: id].refusal != nil { rejected[id] = transfer.to }
        }
    }

    func publish(_ look: inout Look) {
        let (before, loaded) = (answers, running.loaded)
        let records = plan(&look) { $0.expectingTrials(serving: before) { _ in nil } }.records(
            of: 1)
        outlook = look.outlook
        let retreating = running.modules.filter { $0.value.retreat != nil }.keys
        let isSwitch = !look.staged.isEmpty || !look.stopping.isEmpty
        for one in look.inOrderOfNeeds() {
            let id = one.module.entry.id
            check(one.isPrepared, "\(id) serves, and has not started")
            check(rejected[id] != one.module.entry, "\(words(one.module.entry)) is bad, and serves")
            checkState(of: loaded[id], goesTo: id, look)
            let left = self.left(by: id)
            _ = plan(&look) { $0.serves(one, leaving: left) { _ in nil } }
        }
        for (service, from) in served {
            let request = Self.requests[service].map(Capability.init)
            let to = request.flatMap { look.chosen[$0.key] }
            if let to, to != from { checkState(of: loaded[from], goesTo: to, look) }
            // Going back to an earlier file matters more than a service that only the bad one has.
            let now = to.flatMap { running[module: $0].loaded }.map { content(of: $0.entry) }
            let isGone =
                to.map(retreating.contains) == true && now?.provides.contains(service) == false
            served[service] = isGone ? nil : to
            if to == nil { check(look.stopping.contains(from), "\(service) goes with \(from)") }
        }
        for id in look.stopping {
            let left = self.left(by: id)
            _ = plan(&look) { $0.stopped(id, leaving: left) }
        }
        for (id, module) in running.loaded.sorted(by: { $0.key < $1.key }) {
            serve(id, content(of: module.entry))
        }
        let now = answers
        plan(&look) { $0.tellBindings(from: before, to: now) { _ in nil } }
        _ = plan(&look) { $0.switched(leaving: RetiredInstances()) }
        let news = running.records(of: 1).filter { !records.contains($0) && $0.service == nil }
        check(news.isEmpty, "the store does not know of \(news)")
        keepLastGood()
        if isSwitch || before.map(\.module) != answers.map(\.module) { steps.append("switch") }
        checkServing()
    }

    /// The objects of a module that live on when another generation serves.
    func left(by id: String) -> RetiredInstances {
        let left = RetiredInstances()
        if kept[id] == nil { left.end() } else { kept[id]?.append(left) }
        return left
    }

    /// Checks that the state of what serves no longer is not lost.
    func checkState(
        of old: ModuleLife.Loaded?, goesTo id: String, _ look: Look
    ) {
        // A module that takes a service back gets its state with it.
        guard let lifecycle = old?.lifecycle, lifecycle.keepsState,
            served.values.contains(lifecycle.module)
        else { return }
        let transfer = look[id].transfer
        let arrives = transfer?.from === lifecycle && transfer?.isPrepared == true
        let entry = look[id].staged?.module.entry ?? running[module: id].loaded?.entry
        var look = look
        let mayBeLost = entry.map { entry in
            plan(&look) { $0.mayLoseState(of: lifecycle.module, to: entry) }
        }
        check(
            arrives || mayBeLost == true,
            "the state of \(lifecycle.module) is lost on its way to \(id)")
    }
}

// Judges what is on probation.
extension LookWorld {
    func judge() {
        for (item, verdict) in running.judge(at: now, illness: { _ in nil }) {
            guard case .failed = verdict else {
                told.append("\(item.module) good")
                if quarantine != nil {
                    lastGood[item.module] = content(of: item.entry).number
                }
                continue
            }
            told.append("\(item.module) bad")
            running.goBack(from: item)
            known = nil
            var before: CatalogEntry?
            if case .file(let earlier) = item.cause, earlier.code != nil { before = earlier.entry }
            let number = content(of: item.entry).number
            if quarantine != nil, before.map({ content(of: $0).number }) != number {
                quarantine?[item.module, default: []].insert(number)
            }
            guard let (key, other) = item.service else { continue }
            let service = key.word.text
            if isManifestReadOnly {
                let bound = outlook.manifest.chosen[key].flatMap {
                    outlook.manifest.binding($0.key)?.target
                }
                running.overrule(key, bound: bound, with: other)
            } else {
                bindings[service] = (other, nil, 0)
            }
        }
    }

    /// Lets another host start after one that was killed, which goes on with the trials that the store knows.
    func kill() {
        let trials = quarantine == nil ? [] : running.records(of: 1)
        let judged = trials.filter { trial in
            let good = lastGood[trial.module.id].flatMap { disk[trial.module.id]?.contents[$0 - 1] }
            return trial.service != nil || good != nil
        }
        kills += 1
        (running, served, hasLooked) = (Running(), [:], false)
        (loading, stuck, busy, kept, rejected) = ([], [], [], [:], [:])
        running.inherit(
            trials, judging: judged, outlook.manifest.probation, by: LivePolicy(), at: now)
    }

    /// Keeps what served before a file that is judged now, as `LiveModules.record` does.
    private func keepLastGood() {
        guard quarantine != nil else { return }
        for case .file(let before)? in running.modules.values.map(\.trial?.cause)
        where before.code != nil {
            lastGood[before.entry.id] = content(of: before.entry).number
        }
    }

    /// Lets the calls of a module show what its present code is.
    func call(_ id: String) {
        guard let loaded = running[module: id].loaded else { return }
        let isBad = content(of: loaded.entry).traits.contains(.bad)
        for trial in running.trials where trial.module == id {
            if isBad { trial.account.noteCrash("its calls failed") }
            for _ in 0..<300 { trial.account.note(isError: false) }
        }
    }
}

// Checks that hold at any time.
extension LookWorld {
    /// Checks that each service comes from a module that is loaded and provides it.
    func checkServing() {
        for (service, module) in served where module != "linked" {
            let content = running[module: module].loaded.map { self.content(of: $0.entry) }
            check(
                content?.provides.contains(service) == true || running.isStopped,
                "\(service) comes from \(module), which does not provide it")
        }
    }

    /// Checks that the states between two looks are those that a host may have which has seen these modules' files.
    func checkStates(having seen: Set<String>) {
        for record in running.generations where record.state.isOnItsWay {
            mistakes.append("generation \(record.number) of \(record.module) is still on its way")
        }
        for (id, life) in running.modules {
            let serving = life.book.records.filter { $0.state == .serving }
            check(serving.count == (life.isLoaded ? 1 : 0), "\(serving.count) of \(id) serve")
            if case .waiting? = life.serving?.file {
                check(life.trial != nil, "\(id) waits for no trial")
            }
            check(
                life.retreat == nil || !seen.contains(id) || running.isStopped,
                "\(id) is still to go back")
            if let trial = life.trial {
                check(trial.number == serving.first?.number, "\(id) is judged, and does not serve")
            }
        }
        for (key, life) in running.services {
            if let trial = life.trial {
                check(
                    running[module: trial.module].isLoaded, "\(trial.module) is judged for \(key)")
            }
            for arm in life.shares?.arms ?? [] where !running.isStopped {
                check(running[module: arm.module].isLoaded, "\(arm.module) has a share of \(key)")
            }
            let arms = life.shares?.canaries.map(\.module) ?? []
            check(life.canaries.allSatisfy { arms.contains($0.module) }, "a canary has no share")
        }
    }
}
