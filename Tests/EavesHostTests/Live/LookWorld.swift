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

@testable import EavesHost
@testable import EavesRegistry

/// A host and a disk without any file, module or thread: everything that a ``Look`` knows and may be told. Chance decides
/// what changes on the disk, how each step ends, and what other threads do meanwhile.
struct LookWorld {
    protocol Alpha: Sendable {}
    protocol Beta: Sendable {}
    protocol Gamma: Sendable {}

    static let requests = [
        ServiceRequest((any Alpha).self), ServiceRequest((any Beta).self),
        ServiceRequest((any Gamma).self),
    ]
    static let services = ["Alpha", "Beta", "Gamma"]
    static let modules = ["a", "b", "c", "d", "e"]

    /// A module as its file and the manifest have it.
    struct Disk {
        var version = 1
        var isThere = true
        var isEnabled = true
        /// The file is no module.
        var isBroken = false
        /// Another process has written a part of it so far.
        var isIncomplete = false
        var provides: [String]
        var requires: [String] = []
        var hasLifecycle: Bool
        var keepsState: Bool
        var mayLoseState = false
    }

    var chance: SeededNumbers
    var disk: [String: Disk] = [:]
    var bindings: [String: String] = [:]
    /// The modules that have a share of a service's calls besides the one that it is bound to.
    var canaries: [String: String] = [:]
    /// Whether a newer file of a module has to wait until the one before was judged.
    let isOneAtATime: Bool
    /// Whether everything that the host tries works, and no other thread loads a module.
    var isFair = false

    var running = Running()
    /// The services that were asked for, by the places of ``requests``.
    var served: [Int: String] = [:]
    var loading: Set<String> = []
    private var number = 0
    /// Whether the last step has handed over the states as they are right before the switch.
    private var hasLastStates = false
    /// The things that no look may do. A sequence that is right has none.
    var mistakes: [String] = []
    /// What happened, for the message of a test that fails.
    var diary: [String] = []

    init(seed: UInt64) {
        chance = SeededNumbers(seed: seed)
        isOneAtATime = Bool.random(using: &chance)
        for id in Self.modules {
            let hasLifecycle = happens(2)
            disk[id] = Disk(
                provides: Self.services.filter { _ in happens(2) },
                requires: Self.services.filter { _ in happens(4) },
                hasLifecycle: hasLifecycle, keepsState: hasLifecycle && happens(2))
        }
        rebind()
        for (place, service) in Self.services.enumerated() {
            guard let module = bindings[service] else { continue }
            if happens(4) { continue }
            load(module)
            served[place] = module
        }
    }

    /// Whether something happens that does so once in so many times.
    mutating func happens(_ times: Int) -> Bool { Int.random(in: 0..<times, using: &chance) == 0 }

    mutating func note(_ line: String) { diary.append(line) }

    // MARK: The disk

    /// Binds each service to one of the modules that provide it, or to two of them.
    mutating func rebind() {
        for service in Self.services {
            let providers = Self.modules.filter {
                disk[$0]?.provides.contains(service) == true && disk[$0]?.isEnabled == true
            }
            bindings[service] = providers.randomElement(using: &chance)
            canaries[service] =
                happens(3)
                ? providers.filter { $0 != bindings[service] }.randomElement(using: &chance) : nil
        }
        note("bindings \(bindings.sorted { $0.key < $1.key }), canaries \(canaries)")
    }

    mutating func changeDisk() {
        for id in Self.modules where happens(3) {
            var one = disk[id] ?? Disk(provides: [], hasLifecycle: false, keepsState: false)
            switch Int.random(in: 0..<9, using: &chance) {
            case 0, 1, 2: one.version += 1
            case 3: one.isThere.toggle()
            case 4: one.isEnabled.toggle()
            case 5:
                one.version += 1
                one.isBroken.toggle()
            case 6:
                one.version += 1
                one.keepsState = happens(2) && one.hasLifecycle
            case 7:
                one.version += 1
                one.provides = Self.services.filter { _ in happens(2) }
            default: one.mayLoseState.toggle()
            }
            one.isIncomplete = one.isBroken && happens(2)
            disk[id] = one
        }
        if happens(2) { rebind() }
        note("disk \(disk.sorted { $0.key < $1.key })")
    }

    func entry(_ id: String, _ one: Disk) -> CatalogEntry {
        var declaration = ModuleDeclaration.sample(
            id, provides: one.provides, requires: one.requires)
        declaration.version = "1.0.\(one.version)"
        var entry = CatalogEntry(
            id: id, path: "Plugins/\(id).so", file: "/nowhere/Plugins/\(id).so",
            source: one.isBroken ? nil : declaration)
        entry.status = FileStatus(
            kind: .file, device: 1, inode: UInt64(one.version), size: 1, modified: 1, changed: 1,
            owner: 0, group: 0, mode: 0o644)
        if one.isBroken { entry.problem = .binary(.notELF(start: [])) }
        return entry
    }

    /// The disk as a look sees it.
    func outlook() throws -> Outlook {
        let entries = disk.filter(\.value.isThere).map { entry($0.key, $0.value) }
        let bindings = bindings.map { service, module in
            canaries[service].map { canary in
                #""\#(service)": { "\#(module)": 90, "\#(canary)": 10, "by": "call" }"#
            } ?? #""\#(service)": "\#(module)""#
        }
        let settings = disk.filter { !$0.value.isEnabled || $0.value.mayLoseState }.map {
            #""\#($0.key)": { "enabled": \#($0.value.isEnabled), "#
                + #""discardState": \#($0.value.mayLoseState) }"#
        }
        let text = """
            { "manifest": 1, "directories": [], "bindings": { \(bindings.joined(separator: ", ")) },
              "modules": { \(settings.joined(separator: ", ")) },
              "probation": { "oneAtATime": \(isOneAtATime) } }
            """
        let parsed = try Manifest(path: "/nowhere/manifest.json", bytes: Array(text.utf8))
        var choices = parsed.choices
        choices.sharesCalls = true
        let manifest = parsed.choosing(choices)
        return Outlook(
            Outlook(manifest), choosing: manifest,
            standing: Dictionary(uniqueKeysWithValues: entries.map { ($0.id, $0) }))
    }

    // MARK: The host

    private func module(_ entry: CatalogEntry) -> ModuleLife.Loaded {
        let one = disk[entry.id]
        let lifecycle: (any Lifecycle)? =
            switch (one?.hasLifecycle, one?.keepsState) {
            case (true, true): Stateful()
            case (true, _): Stateless()
            default: nil
            }
        return ModuleLife.Loaded(
            entry: entry, code: nil,
            lifecycle: lifecycle.map { GenerationLifecycle($0, of: entry.id) })
    }

    /// Another thread loads a module.
    mutating func load(_ id: String) {
        guard running[module: id].loaded == nil, let one = disk[id], one.isThere, !one.isBroken
        else { return }
        note("another thread has loaded \(id)")
        running.take(module(entry(id, one)))
        enter()
    }

    /// Gives modules numbers that were loaded without one, as `Running.enter` does.
    private mutating func enter() {
        for (id, module) in running.loaded.sorted(by: { $0.key < $1.key })
        where running.book.serving(id) == nil {
            number += 1
            running.book.enter(
                serving: number, of: id, version: module.entry.declaration?.version)
        }
    }

    private mutating func others() {
        guard !isFair else { return }
        for id in loading where happens(2) {
            loading.remove(id)
            happens(4) ? fail(id) : load(id)
        }
        for id in Self.modules where running[module: id].loaded == nil && happens(20) {
            loading.insert(id)
        }
    }

    private mutating func fail(_ id: String) {
        guard let one = disk[id] else { return }
        running[module: id].failure = failure(entry(id, one))
    }

    private func failure(_ entry: CatalogEntry) -> ModuleError {
        ModuleError(entry, FixtureError("chance"))
    }

    var facts: Look.Facts {
        let served = served.sorted { $0.key < $1.key }.map { (Self.requests[$0.key], $0.value) }
        return Look.Facts(served: served, loading: loading)
    }

    /// Checks that the host has taken on what the disk wants, or says why it has not.
    mutating func checkWishes(_ look: Look) throws {
        for (id, loaded) in running.loaded {
            guard let one = disk[id], one.isThere else { continue }
            check(one.isEnabled, "\(id) is switched off, and loaded")
            let life = running[module: id]
            check(
                loaded.entry.status == look.disk.catalog.entry(id)?.status
                    || life.refusal != nil || life.unfinished != nil
                    || life.waiting != nil,
                "\(id) has a new file that was neither taken on nor refused")
        }
        for (place, module) in served {
            let capability = Capability(Self.requests[place])
            let wanted = try? look.outlook.catalog.provider(of: capability)
            check(
                wanted?.id == module || running[service: capability.key].told != nil,
                "\(capability) comes from \(module) instead of \(wanted?.id ?? "none")")
        }
    }

    mutating func check(_ isRight: Bool, _ words: @autoclosure () -> String) {
        if !isRight { mistakes.append(words()) }
    }

    /// Judges what is on probation, or not yet.
    mutating func judge() {
        for (id, life) in running.modules.sorted(by: { $0.key < $1.key }) {
            guard let trial = life.trial, happens(2), case .file(let before) = trial.cause
            else { continue }
            running.endFile(id)
            let isBad = happens(2)
            note("\(id) is \(isBad ? "bad" : "good")")
            guard isBad else { continue }
            running[module: id].retreat = .init(to: before)
            running[module: id].losesState = true
        }
        for (key, life) in running.services.sorted(by: { $0.key < $1.key })
        where life.shares != nil && happens(4) {
            note("the canary of \(key) is bad")
            running.endShares(key)
        }
    }

    // MARK: A look

    /// Looks once, and takes all steps.
    ///
    /// - Returns: The look after its switch.
    mutating func look() throws -> Look {
        var look = Look(at: try outlook(), policy: LivePolicy())
        var rounds = 0
        while true {
            enter()
            let steps = look.next(&running, knowing: facts)
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

    /// Checks that each service comes from a module that is loaded.
    private mutating func checkServing() {
        for (place, module) in served {
            check(
                running[module: module].loaded != nil,
                "\(Self.services[place]) comes from \(module), which is not loaded")
        }
    }

    private mutating func take(_ step: Look.Step, _ look: inout Look) throws {
        let facts = facts
        hasLastStates = false
        switch step {
        case .compare(let id):
            note("compare \(id)")
            let one = disk[id].flatMap { $0.isThere ? $0 : nil }
            let found = look.disk.catalog.entry(id)
            look.compared(
                id,
                with: FoundFile(
                    entry: found,
                    identity: found?.status.map { FileIdentity($0) },
                    isIncomplete: one?.isIncomplete == true),
                &running, knowing: facts)
        case .wait(let id):
            note("wait for \(id)")
            loading.remove(id)
            if happens(8), let one = disk[id] {
                look[id].obstacle = failure(entry(id, one))
            } else {
                happens(4) ? fail(id) : load(id)
            }
        case .refuse(let entry, let error):
            note("refuse \(entry.id)")
            look.refuse(entry, begin(entry), error, &running)
        case .makeNext(let entry, let loaded):
            note("make the next \(entry.id)")
            check(running[module: entry.id].loaded != nil, "\(entry.id) is not loaded")
            make(entry, over: loaded, &look)
        case .goBack(let entry, let back):
            note("go back with \(entry.id)")
            running[module: entry.id].retreat?.bar = .init(
                entry, because: ModuleError(entry, ProbationObstacle.bad(entry.id)))
            look[entry.id].stands = back.entry
            guard let bad = running[module: entry.id].loaded else { return }
            make(back.entry, over: bad, &look)
        case .makeFirst(let entry, _):
            note("make the first \(entry.id)")
            check(running[module: entry.id].loaded == nil, "\(entry.id) is loaded already")
            check(look[entry.id].staged == nil, "\(entry.id) is on its way already")
            make(entry, over: nil, &look)
        case .start(let id):
            note("start \(id)")
            guard let one = look[id].staged else {
                return mistakes.append("\(id) is to start, and is not on its way")
            }
            check(!one.isPrepared, "\(id) is to start twice")
            if !isFair, happens(5) {
                look.giveUp(id, failure(one.module.entry), &running)
            } else if handOver(id, to: one.module, &look) {
                look.started(id, &running)
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
                if look.mayLoseState(transfer.to, running) {
                    look.loseState(of: id)
                } else {
                    look.postpone(
                        id, .callsGoOn(of: transfer.from.module, .seconds(1)), &running)
                }
            }
        }
    }

    private mutating func handOver(
        _ id: String, to target: ModuleLife.Loaded, _ look: inout Look
    ) -> Bool {
        guard look[id].transfer != nil else { return true }
        check(target.lifecycle?.keepsState == true, "\(id) gets a state, and keeps none")
        if isFair || !happens(6) {
            look[id].transfer?.target = target.lifecycle
        } else if look.mayLoseState(target.entry, running) {
            look.loseState(of: id)
        } else {
            look.giveUp(id, ModuleError(target.entry, HandoverError.changedOnTheWayBack), &running)
            return false
        }
        return true
    }

    private mutating func begin(_ entry: CatalogEntry) -> Int {
        number += 1
        running.book.begin(number, of: entry.id, version: entry.declaration?.version)
        return number
    }

    /// Makes a generation, or fails at one of the steps on the way.
    private mutating func make(
        _ entry: CatalogEntry, over loaded: ModuleLife.Loaded?, _ look: inout Look
    ) {
        let way: [GenerationState] = [.checked, .loaded, .registered]
        let reached =
            isFair || !happens(4) ? way.count : Int.random(in: 0..<way.count, using: &chance)
        let number = begin(entry)
        for state in way.prefix(reached) { running.book.advance(number, to: state) }
        do throws(ModuleError) {
            guard reached == way.count else { throw failure(entry) }
            let module = module(entry)
            try look.made(
                ModuleChange.Staged(
                    number: number, module: module, isFirst: loaded == nil,
                    isPrepared: module.lifecycle == nil),
                over: loaded, &running)
        } catch {
            if loaded != nil {
                look.refuse(entry, number, error, &running)
            } else {
                running.book.refuse(number, because: error.diagnostics)
                running[module: entry.id].failure = error
                look[entry.id].obstacle = error
            }
        }
    }

    // MARK: The switch

    private mutating func publish(_ look: inout Look) {
        note("switch to \(look.chosen.sorted { $0.key < $1.key })")
        let before = running.loaded
        check(look.transfers.isEmpty || hasLastStates, "states go over that are not the last ones")
        for (id, transfer) in look.transfers where transfer.from.module != id {
            check(!served.values.contains(id), "\(id) has a state, and takes on another one")
        }
        for one in look.inOrderOfNeeds() {
            let id = one.module.entry.id
            check(one.isPrepared, "\(id) serves, and has not started")
            if let lifecycle = before[id]?.lifecycle {
                checkState(of: lifecycle, goesTo: id, look)
            }
            if let old = running.book.serving(id) {
                running.book.drain(old.number, leaving: RetiredInstances())
            }
            running.book.advance(one.number, to: .serving)
            running.take(one.module)
            let bar = running[module: id].retreat?.bar
            running.endFile(id)
            running[module: id].retreat = nil
            running[module: id].refusal = bar
            if bar == nil, let before = before[id] { begin(one, over: before) }
        }
        for place in served.keys {
            guard let from = served[place] else { continue }
            let key = Capability(Self.requests[place]).key
            if let to = look.chosen[key] {
                if to != from, let lifecycle = before[from]?.lifecycle {
                    checkState(of: lifecycle, goesTo: to, look)
                }
                served[place] = to
            } else if look.stopping.contains(from) {
                served[place] = nil
            }
        }
        for id in look.stopping {
            if let serving = running.book.serving(id) {
                running.book.drain(serving.number, leaving: RetiredInstances())
            }
            running[module: id].loaded = nil
            running.endTrials(of: id)
            for place in served.keys where served[place] == id { served[place] = nil }
        }
        for (key, life) in running.services {
            for arm in life.shares?.arms ?? [] {
                check(
                    running[module: arm.module].loaded != nil,
                    "\(arm.module) has a share of \(key), and is not loaded")
            }
        }
        _ = running.takeNewShares()
        for id in look.staged.keys { look[id].staged = nil }
        _ = running.endLook()
        checkServing()
        for record in running.book.records where record.state.isOnItsWay {
            mistakes.append("generation \(record.number) of \(record.module) is still on its way")
        }
        for id in running.loaded.keys {
            let serving = running.book.records.filter {
                $0.module == id && $0.state == .serving
            }
            check(serving.count <= 1, "\(serving.count) generations of \(id) serve")
        }
    }

    /// Puts a new file on probation.
    private mutating func begin(_ one: ModuleChange.Staged, over before: ModuleLife.Loaded) {
        let id = one.module.entry.id
        let account = CallAccount()
        let proven = running.proven(id, from: before)
        running[module: id].trial = TrialCase(
            cause: .file(ModuleLife.Loaded(entry: proven.entry, code: nil)),
            entry: one.module.entry, number: one.number, digest: nil, account: account, usual: nil,
            probation: Probation(ProbationPolicy(), at: .now, window: .seconds(1)))
    }

    /// Checks that the state of what serves no longer is not lost.
    private mutating func checkState(
        of lifecycle: GenerationLifecycle, goesTo id: String, _ look: Look
    ) {
        guard lifecycle.keepsState else { return }
        let transfer = look[id].transfer
        let arrives = transfer?.from === lifecycle && transfer?.isPrepared == true
        let entry = look[id].staged?.module.entry ?? running[module: id].loaded?.entry
        let mayBeLost = entry.map { look.mayLoseState($0, running) } ?? false
        check(arrives || mayBeLost, "the state of \(lifecycle.module) is lost on its way to \(id)")
    }
}

private struct Stateless: Lifecycle {
    func start(_ resolver: any Resolver) {}
    func stop() {}
    var isHealthy: Bool { true }
}

private struct Stateful: StateHandover {
    func start(_ resolver: any Resolver) {}
    func stop() {}
    var isHealthy: Bool { true }
    func snapshot() -> [UInt8] { [] }
    func restore(_ snapshot: [UInt8]) {}
}
