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
@testable import EavesModules
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
    /// The time, which goes on from look to look.
    var now = ContinuousClock.now
    /// Whether everything that the host tries works, and no other thread loads a module.
    var isFair = false

    var running = Running()
    /// The services that were asked for, by the places of ``requests``.
    var served: [Int: String] = [:]
    var loading: Set<String> = []
    var number = 0
    /// Whether the last step has handed over the states as they are right before the switch.
    var hasLastStates = false
    /// The things that no look may do. A sequence that is right has none.
    var mistakes: [String] = []
    /// The events so far, for the message of a test that fails.
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
}

// The disk.
extension LookWorld {
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
        // Messages name the places in the text, so its order stays.
        let bindings = bindings.sorted { $0.key < $1.key }.map { service, module in
            canaries[service].map { canary in
                #""\#(service)": { "\#(module)": 90, "\#(canary)": 10, "by": "call" }"#
            } ?? #""\#(service)": "\#(module)""#
        }
        let special = disk.filter { !$0.value.isEnabled || $0.value.mayLoseState }
        let settings = special.sorted { $0.key < $1.key }.map {
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
}

// The host, and the threads in it.
extension LookWorld {
    func module(_ entry: CatalogEntry) -> ModuleLife.Loaded {
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
        guard !running[module: id].isLoaded, let one = disk[id], one.isThere, !one.isBroken
        else { return }
        note("another thread has loaded \(id)")
        running.take(module(entry(id, one)))
        enter()
    }

    /// Gives modules numbers that were loaded without one, as `Running.enter` does.
    mutating func enter() {
        for (id, module) in running.loaded.sorted(by: { $0.key < $1.key })
        where running[module: id].book.serving == nil {
            number += 1
            running[module: id].book.enter(
                number, of: id, version: module.entry.declaration?.version, .serving)
        }
    }

    mutating func others() {
        guard !isFair else { return }
        for id in loading where happens(2) {
            loading.remove(id)
            happens(4) ? fail(id) : load(id)
        }
        for id in Self.modules where !running[module: id].isLoaded && happens(20) {
            loading.insert(id)
        }
    }

    mutating func fail(_ id: String) {
        guard let one = disk[id] else { return }
        running.fail(id, because: failure(entry(id, one)))
    }

    func failure(_ entry: CatalogEntry) -> ModuleError {
        ModuleError(entry, FixtureError("chance"))
    }

    var facts: Look.Facts {
        let served = served.sorted { $0.key < $1.key }.map { (Self.requests[$0.key], $0.value) }
        return Look.Facts(served: served, loading: loading, now: now)
    }

    /// Checks that the host has taken on what the disk wants, or says why it has not.
    mutating func checkWishes(_ look: Look) throws {
        for (id, loaded) in running.loaded {
            guard let one = disk[id], one.isThere else { continue }
            check(one.isEnabled, "\(id) is switched off, and loaded")
            let life = running[module: id]
            var isPending = true
            if case .taken? = life.serving?.file { isPending = false }
            check(
                isPending || loaded.entry.status == look.disk.catalog.entry(id)?.status,
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
            guard let trial = life.trial, happens(2) else { continue }
            running.endFile(id)
            let isBad = happens(2)
            note("\(id) is \(isBad ? "bad" : "good")")
            guard isBad else { continue }
            running.goBack(from: trial)
        }
        for (key, life) in running.services.sorted(by: { $0.key < $1.key }) {
            guard let trial = life.trial, case .binding(let binding, let from) = trial.cause,
                happens(2)
            else { continue }
            running[service: key].state = .settled
            let isBad = happens(2)
            note("\(key) is \(isBad ? "bad" : "good") in \(trial.module)")
            guard isBad else { continue }
            bindings[binding.word.text] = from
            canaries[binding.word.text] = nil
            running.goBack(from: trial)
        }
        for (key, life) in running.services.sorted(by: { $0.key < $1.key })
        where life.shares != nil && happens(4) {
            note("the canary of \(key) is bad")
            running.take(.shares(key, nil))
        }
    }
}

struct Stateless: Lifecycle {
    func start(_ resolver: any Resolver) {}
    func stop() {}
    var isHealthy: Bool { true }
}

struct Stateful: StateHandover {
    func start(_ resolver: any Resolver) {}
    func stop() {}
    var isHealthy: Bool { true }
    func snapshot() -> [UInt8] { [] }
    func restore(_ snapshot: [UInt8]) {}
}
