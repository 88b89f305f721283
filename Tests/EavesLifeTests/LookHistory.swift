// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesCatalog
import EavesTestSupport

@testable import EavesLife

/// A history that chance has made: three modules, two services, and what happens to them.
struct LookHistory {
    private static let modules = ["a", "b", "c"]
    private static let services = ["Alpha", "Beta"]
    private static let lists = ["signers", "revoked keys"]

    private var chance: SeededNumbers
    private var isSigned = false
    private(set) var events: [Event] = []

    /// - Parameter seed: The same seed makes the same history.
    init(seed: UInt64) {
        chance = SeededNumbers(seed: seed)
        let terms: [Event] = [.judgeOneAtATime, .makeManifestReadOnly, .makeStore]
        events = terms.filter { _ in happens(3) }
        isSigned = happens(3)
        if isSigned { events.append(.demandSignatures) }
        var kinds: [(String, [LookWorld.Trait])] = []
        for id in Self.modules { kinds.append((id, pick([[], [.living], [.stateful]]))) }
        for (id, kind) in kinds {
            events += [.write(id, kind, provides: someServices()), .sign(id)]
        }
        for service in Self.services where !happens(4) {
            events.append(.bind(service, to: pick(Self.modules)))
        }
        events += Self.services.map { .ask($0) }
        for _ in 0..<Int.random(in: 4...12, using: &chance) {
            events.append(event(kinds))
            if happens(6) { events.append(.meanwhile([event(kinds), event(kinds), event(kinds)])) }
            if !happens(3) { events.append(.look) }
        }
    }

    private mutating func happens(_ times: Int) -> Bool {
        Int.random(in: 0..<times, using: &chance) == 0
    }

    private mutating func pick<Element>(_ all: [Element]) -> Element {
        all[Int.random(in: 0..<all.count, using: &chance)]
    }

    private mutating func someServices() -> [String] {
        pick([["Alpha"], ["Beta"], ["Alpha", "Beta"], ["Alpha", "Beta"], []])
    }

    private mutating func event(_ kinds: [(String, [LookWorld.Trait])]) -> Event {
        let (id, kind) = pick(kinds)
        let service = pick(Self.services)
        switch Int.random(in: 0..<(isSigned ? 38 : 26), using: &chance) {
        case 0...4:
            return .write(id, kind + [.bad].filter { _ in happens(3) }, provides: Self.services)
        case 5, 6:
            let fault = pick(LookWorld.Trait.allCases.filter { $0 != .interface })
            return .write(id, kind + [fault], provides: someServices())
        case 7: return .write(id, pick(kinds).1, provides: someServices(), needs: [service])
        case 8: return .putBack(id, Int.random(in: 1...3, using: &chance))
        case 9: return pick([.remove(id), .touch(id)])
        case 10: return pick([.disable(id), .enable(id)])
        case 11: return .enable(id)
        case 12: return pick([.set(id), .isolate(id), .mayLoseState(id)])
        case 13...15: return .bind(service, to: id)
        case 16: return .share(service, with: id, pick([5, 20]))
        case 17: return pick([.unbind(service), .spoilManifest, .mendManifest, .mendManifest])
        case 18: return .ask(service)
        case 19: return pick([.begins(id), .hangs(id), .load(id)])
        case 20, 21: return .call(id)
        case 22, 23: return .pass(pick([.milliseconds(500), .seconds(2), .seconds(120)]))
        case 24: return pick([.isBusy(id), .isIdle(id), .keep(id), .letGo(id)])
        case 26...33: return pick([.sign(id), .sign(id), .unsign(id)])
        case 34...: return pick(Self.lists.flatMap { [.spoil($0), .mend($0), .mend($0)] })
        default: return pick([.isFull, .hasRoom, .stop, .kill, .kill, .look])
        }
    }

    /// Lets the events happen, and then all that holds the host up end.
    ///
    /// - Returns: The mistakes of the plan.
    static func mistakes(in events: [Event]) throws -> [String] {
        let world = try LookWorld()
        for event in events { world.happen(event) }
        (world.meanwhile, world.loading, world.stuck) = ([], [], [])
        let ends = modules.flatMap { [.isIdle($0), .letGo($0), .enable($0), .sign($0)] as [Event] }
        for event in ends + lists.map(Event.mend) + [.mendManifest, .hasRoom, .look] {
            world.happen(event)
        }
        // Exchanges that were put off are tried again, and so are files that were not whole.
        for event in [.pass(.seconds(600)), .look, .look] as [Event] { world.happen(event) }
        for _ in 0..<6 where !world.running.trials.isEmpty {
            for event in modules.map({ Event.call($0) }) + [.pass(.seconds(90_000)), .look] {
                world.happen(event)
            }
        }
        for event in [.pass(.seconds(600)), .look] as [Event] { world.happen(event) }
        world.checkEnd()
        return world.mistakes
    }

    /// The shortest history that makes the same kind of mistake, as far as leaving single events out leads to it.
    static func shortened(_ events: [Event]) throws -> [Event] {
        var events = events
        for index in events.indices.reversed() {
            var fewer = events
            fewer.remove(at: index)
            if try !mistakes(in: fewer).isEmpty { events = fewer }
        }
        return events
    }
}

extension LookWorld {
    /// Checks a host that had all the time that it may want: everything was judged, it has taken on what the disk wants,
    /// or says why not, and then it rests.
    fileprivate func checkEnd() {
        guard !running.isStopped else { return }
        for trial in running.trials {
            if case .canary = trial.cause { continue }
            mistakes.append("\(trial.module) is still on trial")
        }
        for (id, life) in running.modules {
            guard let loaded = life.loaded, let module = disk[id], let present = module.present
            else { continue }
            check(module.isEnabled, "\(id) is switched off, and loaded")
            check(
                content(of: loaded.entry.own).number == present || life.refusal != nil,
                "\(id) has a new file that was neither taken on nor refused")
            check(life.refusal?.error.isOfSignature != true, "\(id) is refused, and well signed")
            check(!life.isUnfinished && life.refusal?.again == nil, "\(id) still waits")
        }
        for (service, module) in served {
            let wanted = LookWorld.requests[service].flatMap(provider)
            check(
                wanted == module || running[service: LookWorld.key(of: service)].told != nil,
                "\(service) comes from \(module) instead of \(wanted ?? "none")")
        }
        (steps, told) = ([], [])
        happen(.look)
        check(steps.isEmpty && told.isEmpty, "the host does not rest: \(steps), \(told)")
        guard spoilt != nil else { return }
        for event in [.spoil("revoked keys"), .look] as [Event] { happen(event) }
        let known = Set(running.obstacles.map(\.subject))
        for id in running.loaded.keys where disk[id]?.present != nil {
            check(known.contains(id), "the key of \(id) is revoked, and that is no obstacle")
        }
    }
}
