// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesCatalog
import EavesDeclaration
import EavesInterface
import EavesLoader
import EavesManifest
import EavesRegistry

// The switch: lets the new generations serve, and tells who serves no longer.
extension LivePass {
    /// Shows everything to the container. From here on nothing can fail but a key that two modules share.
    mutating func publish() {
        let before = container.served
        let outlook = look.outlook
        // The notes about what is taken back go with it, and its users may still have its objects.
        running.asked.formUnion(container.uses)
        // Containers that choose for themselves look at it during the exchange.
        modules.turn(to: outlook)
        let names = { (module: String, request: ServiceRequest) in
            outlook.manifest.chosen.names(of: request.qualifiedService, boundTo: module)
        }
        let known = Set(running.loaded.keys).union(look.staged.keys)
        for one in look.inOrderOfNeeds() {
            guard let generation = made[one.number] else { continue }
            let id = one.module.entry.id
            let served = Set(before.filter { $0.module == id }.map { Capability($0.request).key })
            do throws(RegistrationError) {
                let left = try generation.registrar.replace(
                    in: container, where: { served.contains(Capability($0.request).key) },
                    alsoNamed: { names(id, $0) })
                took(over: one, leaving: left)
                made[one.number] = nil
                self.served.append(generation)
            } catch {
                refuse(one.module.entry, one.number, ModuleError(one.module.entry, error))
                modules.turn(
                    to: Outlook(outlook, choosing: outlook.manifest, standing: look.standing))
            }
        }
        let rebound = container.rebind(
            where: { [look] in look.isChosen($0, among: known) }, alsoNamed: names, sharing: shares)
        for id in look.stopping { stop(id) }
        tellBindings(before)
        for (id, var transfer) in look.transfers where transfer.isPrepared {
            // A module whose service is bound to another one stays loaded, and goes on with what is under way.
            if transfer.from.module != id { transfer.left = rebound }
            handed.append(transfer)
            running[module: id].postponement = nil
        }
        for id in look.staged.keys { look[id].staged = nil }
        measure()
    }

    private mutating func took(
        over one: ModuleChange.Staged, leaving left: RetiredInstances
    ) {
        let (id, number) = (one.module.entry.id, one.number)
        let old = running.book.serving(id)
        if let old { running.book.drain(old.number, leaving: left) }
        running.book.advance(number, to: .serving)
        look[id].transfer?.left = left
        let before = running[module: id].loaded
        if let before, let lifecycle = before.lifecycle {
            leaving.append((before.entry, lifecycle, left))
        }
        running.take(one.module)
        running[module: id].refusal = nil
        judge(one, over: before)
        if let old, let was = running.book.record(old.number), let new = running.book.record(number)
        {
            look.changes.append(.swapped(HostGeneration(new), from: HostGeneration(was)))
        }
    }

    /// Takes back everything of a module that is switched off.
    private mutating func stop(_ id: String) {
        guard let serving = running.book.serving(id) else { return }
        let left = container.retire(module: id)
        running.book.drain(serving.number, leaving: left)
        if let loaded = running[module: id].loaded, let lifecycle = loaded.lifecycle {
            leaving.append((loaded.entry, lifecycle, left))
        }
        running[module: id].loaded = nil
        running.endTrials(of: id)
        container.accounts.forgetUsual(id)
        if let record = running.book.record(serving.number) {
            look.changes.append(.stopped(HostGeneration(record)))
        }
    }

    /// Tells which services come from other modules now.
    private mutating func tellBindings(_ before: [(request: ServiceRequest, module: String)]) {
        let earlier = Dictionary(before.map { (Capability($0.request), $0.module) }) { $1 }
        for (request, module) in container.served {
            let capability = Capability(request)
            guard case .service = capability, let from = earlier[capability], from != module else {
                continue
            }
            look.changes.append(.bound(service: capability.word, from: from, to: module))
            running[service: capability.key].trial = trial(of: capability, from: from, to: module)
            running[service: capability.key].retreat = nil
        }
    }
}
