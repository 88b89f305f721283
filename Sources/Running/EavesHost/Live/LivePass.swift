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
import EavesSystem

/// Carries out one ``Look`` at the disk: takes its steps until nothing is left to do, and shows the result to the
/// container.
///
/// While the look decides, and while it switches, no module becomes visible, and no module's code runs. While a step is
/// taken, other threads may load modules. Resolving goes on all the time.
struct LivePass {
    let modules: LazyLoader
    let container: Container
    let numbers: GenerationNumbers
    /// A function that lets the store know what is judged.
    let record: @Sendable (Running) -> Void

    var look: Look
    /// The transfers that are over. Writes to the old objects from now on come too late.
    var handed: [StateTransfer] = []
    /// The life cycles that are not needed any more, and their instances that others may still have.
    var leaving: [(entry: CatalogEntry, GenerationLifecycle, RetiredInstances)] = []

    /// The generations that are on their way, by their numbers.
    var made: [Int: StagedGeneration] = [:]
    /// The generations that serve since the switch.
    var served: [StagedGeneration] = []
    /// The modules that no other thread loads meanwhile, by their ids.
    var claimed: Set<String> = []
    /// The closed gates of the modules whose states go over.
    var closure: GateClosure?
    /// The things that the look went by when it gave the present steps.
    private var facts = Look.Facts(served: [], loading: [])

    /// Everything that the host knows. Other threads may read it at any time, and change the modules that they load.
    var running: Running {
        get { modules.loader.running }
        nonmutating _modify { yield &modules.loader.running }
    }

    init(
        _ look: Look, _ modules: LazyLoader, _ container: Container, _ numbers: GenerationNumbers,
        recording record: @escaping @Sendable (Running) -> Void
    ) {
        self.look = look
        self.modules = modules
        self.container = container
        self.numbers = numbers
        self.record = record
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

    /// Lets the look decide, and switches if everything is prepared.
    ///
    /// - Returns: The steps to take; none after the switch, or if the host has stopped.
    private mutating func decide() -> [Look.Step] {
        modules.loader.memory.exclusively {
            guard !running.isStopped else {
                look.abandon(&running)
                return []
            }
            running.enter(numbers)
            // A module that the look has dropped is claimed until it has stopped.
            facts = Look.Facts(
                served: container.served,
                loading: modules.loader.board.loading.subtracting(claimed))
            let steps = look.next(&running, knowing: facts)
            if steps.isEmpty {
                running.forgetTransfers(but: look.wantedTransfers)
                record(expectingTrials)
                publish()
            }
            return steps
        }
    }

    /// Takes a step, and tells the look what came of it.
    private mutating func take(_ step: Look.Step) {
        switch step {
        case .compare(let id): compare(id)
        case .wait(let id): wait(for: id)
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

    private mutating func compare(_ id: String) {
        guard let loaded = running[module: id].loaded else { return }
        let file = FoundFile(of: loaded.entry, in: look.disk.catalog)
        look.compared(id, with: file, &running, knowing: facts)
    }

    private mutating func wait(for id: String) {
        do throws(LifecycleError) {
            try modules.loader.board.wait(for: id)
        } catch {
            if let entry = look.disk.catalog.entry(id) {
                look.cannotHave(id, because: ModuleError(entry, error))
            }
        }
    }

    /// The memory of the host with the trials that the switch begins.
    var expectingTrials: Running {
        look.expectingTrials(
            running, serving: container.served, usual: container.accounts.usualCalls)
    }

    /// Lets the calls go on that were held back.
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
            end(generation.lifecycle, of: generation.entry)
        }
        for id in claimed where staged[id] == nil {
            claimed.remove(id)
            modules.loader.board.end(id)
        }
    }

    private func end(_ lifecycle: GenerationLifecycle?, of entry: CatalogEntry) {
        do throws(LifecycleError) {
            try lifecycle?.stop(within: look.policy.lifecycleLimit)
        } catch {
            modules.loader.tell(error, of: entry)
        }
    }
}
