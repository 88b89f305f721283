// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesCatalog
import EavesDeclaration
import EavesInterface
import EavesLife
import EavesModules
import EavesRegistry
import EavesSystem

/// Carries out one ``Look`` at the disk: takes its steps until nothing is left to do, and shows the result to the
/// container.
///
/// While the look decides, and while it switches, no module becomes visible, and no module's code runs. While a step is
/// taken, other threads may load modules. Resolving goes on all the time.
struct LivePass {
    let live: LiveModules
    var modules: LazyLoader { live.modules }
    var container: Container { live.container }

    var look: Look
    /// The transfers that are over. Writes to the old objects from now on come too late.
    var handed: [StateTransfer] = []
    /// The life cycles that are not needed any more, and their instances that others may still have.
    var leaving: [(entry: CatalogEntry, GenerationLifecycle, RetiredInstances)] = []

    /// The generations that are on their way, by their numbers.
    var made: [Int: StagedGeneration] = [:]
    var served: [StagedGeneration] = []
    /// The modules that no other thread loads meanwhile, by their ids.
    var claimed: Set<String> = []
    /// The closed gates of the modules whose states go over.
    var closure: GateClosure?
    /// The things that the look went by when it gave the present steps.
    var facts = Look.Facts(served: [], loading: [])

    /// Everything that the host knows. Other threads may read it at any time, and change the modules that they load.
    var running: Running {
        get { modules.loader.running }
        nonmutating _modify { yield &modules.loader.running }
    }

    /// Takes on everything that the look wants, as far as that is possible.
    mutating func run() {
        while case let steps = decide(), !steps.isEmpty {
            openGates()
            for step in steps { take(step) }
            // A function of a module that takes long must not hold calls back.
            if closure == nil { settle() }
        }
        openGates()
        settle()
        let maker = modules.loader.maker(look.outlook)
        for generation in served { maker.tell(generation) }
    }

    /// Lets the look decide over what the host knows now, and reports what it has decided.
    mutating func plan<Result>(_ part: (inout Look) -> Result) -> Result {
        modules.loader.memory.exclusively {
            let (result, events) = look.plan(over: running, part)
            for event in events { running.take(event) }
            return result
        }
    }

    /// Lets the look decide, and switches if everything is prepared.
    ///
    /// - Returns: The steps to take; none after the switch, or if the host has stopped.
    private mutating func decide() -> [Look.Step] {
        modules.loader.memory.exclusively {
            guard !running.isStopped else {
                plan { $0.abandon() }
                return []
            }
            running.enter(live.numbers.next)
            // A module that the look has dropped is claimed until it has stopped.
            facts = Look.Facts(
                served: container.served,
                loading: modules.loader.board.loading.subtracting(claimed))
            let steps = plan { [facts] in $0.next(knowing: facts) }
            if steps.isEmpty {
                running.forgetTransfers(but: look.wantedTransfers)
                live.record(expectingTrials)
                publish()
            }
            return steps
        }
    }

    private mutating func take(_ step: Look.Step) {
        switch step {
        case .compare(let id):
            let file = FoundFile(of: id, in: look.disk.catalog)
            plan { [facts] in $0.compared(id, with: file, knowing: facts) }
        case .wait(let id):
            do throws(LifecycleError) {
                try modules.loader.board.wait(for: id)
            } catch {
                guard let entry = look.disk.catalog.entry(id) else { return }
                look.cannotHave(id, because: ModuleError(entry, error))
            }
        case .refuse(let entry, let error): refuse(entry, nil, error)
        case .makeNext(let entry, let loaded): makeNext(entry, over: loaded)
        case .goBack(let entry, let back): goBack(entry, to: back)
        case .makeFirst(let entry, let outlook):
            do throws(ModuleError) {
                try makeFirst(entry, by: outlook)
            } catch {
                look.cannotHave(entry.id, because: error)
            }
        case .start(let id): start(id)
        case .handOver(let id): handOver(toLoaded: id)
        case .handOverLastStates: handOverLastStates()
        }
    }

    var expectingTrials: Running {
        var look = look
        return look.plan(over: running) {
            $0.expectingTrials(serving: container.served, usual: container.accounts.usualCalls)
        }.0
    }

    private mutating func openGates() {
        closure?.open()
        closure = nil
    }

    /// Ends what the look has dropped: stops what was started and will never serve, and lets other threads load the
    /// modules.
    private mutating func settle() {
        let staged = look.staged
        for (number, generation) in made where staged[generation.entry.id]?.number != number {
            made[number] = nil
            modules.loader.stop(
                generation.lifecycle, of: generation.entry, within: look.policy.lifecycleLimit)
        }
        for id in claimed where staged[id] == nil {
            claimed.remove(id)
            modules.loader.board.end(id)
        }
    }
}

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
                let old = plan { [container] in
                    $0.serves(one, leaving: left, usual: container.accounts.usualCalls)
                }
                leave(old, left)
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
        handed = plan { [container] in
            $0.tellBindings(
                from: before, to: container.served, usual: container.accounts.usualCalls)
            return $0.switched(leaving: rebound)
        }
        // The container measures what is judged, and nothing else.
        container.accounts.judge(running, keepingUsual: look.disk.manifest.probation.isOn)
    }

    /// Takes back everything of a module that is switched off.
    private mutating func stop(_ id: String) {
        guard running[module: id].book.serving != nil else { return }
        let left = container.retire(module: id)
        leave(plan { $0.stopped(id, leaving: left) }, left)
        container.accounts.forgetUsual(id)
    }

    /// Notes a life cycle that ends as soon as no call is under way in its objects.
    private mutating func leave(_ loaded: ModuleLife.Loaded?, _ left: RetiredInstances) {
        guard let loaded, let lifecycle = loaded.lifecycle else { return }
        leaving.append((loaded.entry, lifecycle, left))
    }

    /// The modules that share the calls of a registration's service, if it is that of the stable one.
    private func shares(of registration: Registration) -> CallShares? {
        let shares = running[service: Capability(registration.request).key].shares
        return shares?.stable.module == registration.module ? shares : nil
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
