// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

@testable import EavesLife
@testable import EavesRegistry

/// A thing that happens to a host. Rows of the table and generated histories are made of these.
enum Event: Sendable {
    // On the disk.
    case write(String, [LookWorld.Trait] = [], provides: [String] = ["Alpha"], needs: [String] = [])
    /// An earlier content again, by its number.
    case putBack(String, Int)
    case remove(String)
    case disable(String), enable(String)
    /// The signature is one of the present content, or of other bytes.
    case sign(String), unsign(String)
    /// A list of keys does not allow the one that signs, or does again.
    case spoil(String), mend(String), demandSignatures
    case touch(String), set(String), isolate(String), mayLoseState(String)
    case bind(String, to: String), share(String, with: String, Int = 10), unbind(String)
    case spoilManifest, mendManifest
    case judgeNothing, judgeOneAtATime, makeManifestReadOnly
    /// A store keeps out what is bad, or this content already.
    case makeStore, keepOut(String, Int)

    // In the process.
    case ask(String), load(String)
    /// Another thread begins to load a module, and may never end.
    case begins(String), hangs(String)
    /// The program has linked in the provider of a service.
    case linkedIn(String)
    /// The process before has handed over a module's state.
    case hand(String)
    case call(String), pass(Duration)
    /// Calls of a module do not end, or its old objects are kept.
    case isBusy(String), isIdle(String), keep(String), letGo(String)
    case isFull, hasRoom
    case stop
    /// The host is killed. Another one starts.
    case kill

    case look
    /// Each happens after one of the next look's steps.
    case meanwhile([Event])
}

extension LookWorld {
    func happen(_ event: Event) {
        switch event {
        case .look, .ask, .load, .call, .pass, .meanwhile: break
        default: known = nil
        }
        switch event {
        case .write(let id, let traits, let provides, let needs):
            let number = disk[id, default: Module()].contents.count + 1
            disk[id, default: Module()].contents.append(
                Content(number: number, traits: traits, provides: provides, requires: needs))
            disk[id]?.present = number
        case .putBack(let id, let number):
            if let count = disk[id]?.contents.count { disk[id]?.present = min(number, count) }
        case .remove(let id): disk[id]?.present = nil
        case .disable(let id): disk[id]?.isEnabled = false
        case .enable(let id): disk[id]?.isEnabled = true
        case .sign(let id):
            let present = disk[id]?.present
            disk[id]?.signature = present
        case .unsign(let id): disk[id]?.signature = nil
        case .spoil(let list): spoilt?.insert(list)
        case .mend(let list): spoilt?.remove(list)
        case .demandSignatures: spoilt = []
        case .touch(let id): disk[id]?.touches += 1
        case .set(let id): disk[id]?.settings += 1
        case .isolate(let id): disk[id]?.isIsolated.toggle()
        case .mayLoseState(let id): disk[id]?.mayLoseState.toggle()
        case .bind(let service, let id): bindings[service] = (id, nil, 0)
        case .share(let service, let id, let weight):
            if let bound = bindings[service]?.module, bound != id {
                bindings[service] = (bound, id, weight)
            }
        case .unbind(let service): bindings[service] = nil
        case .spoilManifest: isManifestWrong = true
        case .mendManifest: isManifestWrong = false
        case .judgeNothing: judges = false
        case .judgeOneAtATime: isOneAtATime = true
        case .makeManifestReadOnly: isManifestReadOnly = true
        case .makeStore: quarantine = [:]
        case .keepOut(let id, let number):
            quarantine = quarantine ?? [:]
            quarantine?[id, default: []].insert(number)
        case .ask(let service): ask(service)
        case .load(let id): load(id)
        case .begins(let id): if !running[module: id].isLoaded { loading.insert(id) }
        case .hangs(let id):
            if !running[module: id].isLoaded {
                loading.insert(id)
                stuck.insert(id)
            }
        case .linkedIn(let service): served[service] = "linked"
        case .hand(let id): running.hand([], to: id)
        case .call(let id): call(id)
        case .pass(let time): now += time
        case .isBusy(let id): busy.insert(id)
        case .isIdle(let id): busy.remove(id)
        case .keep(let id): kept[id] = kept[id] ?? []
        case .letGo(let id):
            kept[id]?.forEach { $0.end() }
            kept[id] = nil
        case .isFull: hasRoom = false
        case .hasRoom: hasRoom = true
        case .stop: _ = running.stop()
        case .kill: kill()
        case .look:
            do {
                try look()
            } catch {
                mistakes.append("\(error)")
            }
        case .meanwhile(let events): meanwhile += events
        }
    }
}
