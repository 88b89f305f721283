// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesCatalog
import EavesDeclaration
import EavesInterface
import EavesLife
import EavesLoader
import EavesManifest
import EavesModules
import EavesRegistry

// The switch: lets the new generations serve, and tells who serves no longer.
extension LivePass {
    /// Shows everything to the container. From here on nothing can fail but a key that two modules share.
    mutating func publish() {
        let before = container.served
        let outlook = look.outlook
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
        look.tellBindings(
            from: before, to: container.served, &running, usual: container.accounts.usualCalls)
        handed = look.switched(&running, leaving: rebound)
        measure()
    }

    private mutating func took(
        over one: ModuleChange.Staged, leaving left: RetiredInstances
    ) {
        let before = look.serves(
            one, leaving: left, &running, usual: container.accounts.usualCalls)
        leave(before, left)
    }

    /// Takes back everything of a module that is switched off.
    private mutating func stop(_ id: String) {
        guard running.book.serving(id) != nil else { return }
        let left = container.retire(module: id)
        leave(look.stopped(id, leaving: left, &running), left)
        container.accounts.forgetUsual(id)
    }

    /// Notes a life cycle that ends as soon as no call is under way in its objects.
    private mutating func leave(_ loaded: ModuleLife.Loaded?, _ left: RetiredInstances) {
        guard let loaded, let lifecycle = loaded.lifecycle else { return }
        leaving.append((loaded.entry, lifecycle, left))
    }

    /// The modules that share the calls of a registration's service, if it is that of the stable one.
    private func shares(of registration: Registration) -> CallShares? {
        guard let shares = running[service: Capability(registration.request).key].shares,
            shares.stable.module == registration.module
        else { return nil }
        return shares
    }

    /// Lets the container measure what is judged, and nothing else, and tells of new shares.
    private mutating func measure() {
        look.tellShares(&running)
        container.accounts.judge(running, keepingUsual: look.disk.manifest.probation.isOn)
        // The host does not judge a module that came for the first time and takes no other one's place.
        let judged = running.accountsByModule.values
        for account in running.endLook() where !judged.contains(where: { $0 === account }) {
            account.close()
        }
    }
}

extension CallAccounts {
    /// Measures the calls of what is judged.
    ///
    /// - Parameter keepsUsual: Whether to note those of all other modules, too, to compare with.
    func judge(_ running: Running, keepingUsual keepsUsual: Bool) {
        set(running.accountsByModule, sharing: running.sharesCalls, keepingUsual: keepsUsual)
    }
}
