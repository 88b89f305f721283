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
        where running.book.serving(id) == nil {
            number += 1
            running.book.enter(
                serving: number, of: id, version: module.entry.declaration?.version)
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
            running[service: key].trial = nil
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
            running.endShares(key)
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
