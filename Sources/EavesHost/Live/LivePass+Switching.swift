// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesCatalog
import EavesDeclaration
import EavesInterface
import EavesManifest
import EavesRegistry

// The switch: lets the new generations serve, and tells who serves no longer.
extension LivePass {
    /// Shows everything to the container. From here on nothing can fail but a key that two modules share.
    mutating func publish(
        _ outlook: Outlook, _ isChosen: (Registration) -> Bool
    ) {
        let before = container.served
        // The notes about what is taken back go with it, and its users may still have its objects.
        running.asked.formUnion(container.uses)
        // Containers that choose for themselves look at it during the exchange.
        modules.turn(to: outlook)
        let names = { (module: String, request: ServiceRequest) in
            outlook.manifest.chosen.names(of: request.qualifiedService, boundTo: module)
        }
        let maker = modules.loader.maker(outlook)
        for (id, staged) in inOrderOfNeeds() {
            let (number, generation) = (staged.number, staged.generation)
            let served = Set(before.filter { $0.module == id }.map { Capability($0.request).key })
            do throws(RegistrationError) {
                let left = try generation.registrar.replace(
                    in: container, where: { served.contains(Capability($0.request).key) },
                    alsoNamed: { names(id, $0) })
                took(over: id, number, generation, leaving: left)
                maker.tell(generation)
            } catch {
                end(generation.lifecycle, of: generation.entry)
                refuse(generation.entry, number, ModuleError(generation.entry, error))
                modules.turn(to: Outlook(outlook.manifest, standing: standing))
            }
        }
        let rebound = container.rebind(where: isChosen, alsoNamed: names, sharing: shares)
        for id in modules(where: \.isStopping) { stop(id) }
        tellBindings(before)
        for (id, var transfer) in transfers where transfer.isPrepared {
            // A module whose service is bound to another one stays loaded, and goes on with what is under way.
            if transfer.from.module != id { transfer.left = rebound }
            handed.append(transfer)
            running[module: id].postponement = nil
        }
        staged.keys.forEach { release($0) }
        measure()
    }

    private mutating func took(
        over id: String, _ number: Int, _ generation: StagedGeneration,
        leaving left: RetiredInstances
    ) {
        let old = running.book.serving(id)
        if let old { running.book.drain(old.number, leaving: left) }
        running.book.advance(number, to: .serving)
        self[id].transfer?.left = left
        let before = running[module: id].loaded
        if let before, let lifecycle = before.lifecycle {
            leaving.append((before.entry, lifecycle, left))
        }
        running.take(generation.code, as: generation.entry, generation.lifecycle)
        running[module: id].refusal = nil
        judge(generation, number, over: before)
        if let old, let was = running.book.record(old.number), let new = running.book.record(number)
        {
            changes.append(.swapped(HostGeneration(new), from: HostGeneration(was)))
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
            changes.append(.stopped(HostGeneration(record)))
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
            changes.append(.bound(service: capability.word, from: from, to: module))
            bound(capability, from: from, to: module)
        }
    }
}
