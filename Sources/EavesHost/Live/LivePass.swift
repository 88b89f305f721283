// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesCatalog
import EavesDeclaration
import EavesDiagnostics
import EavesELF
import EavesInterface
import EavesLoader
import EavesManifest
import EavesRegistry
import EavesSystem

/// One look of a live host at the disk: makes the new generations, decides who provides what from now on, and
/// shows all of it to the container. A generation that cannot be made leaves the old one serving.
///
/// No other thread loads a module meanwhile. Resolving goes on.
struct LivePass {
    private let modules: LazyLoader
    private let container: Container
    private let numbers: GenerationNumbers
    /// The manifest and the modules as they are on the disk.
    private let disk: Outlook

    var outcomes: LoadOutcomes
    var state: LiveState
    private(set) var changes: [HostChange] = []

    /// The generations that are ready to serve, by their modules' ids.
    private var staged: [String: (number: Int, generation: StagedGeneration)] = [:]
    /// The loaded modules that stay as they are whatever their files are now.
    private var standing: [String: CatalogEntry] = [:]
    /// The loaded modules that are switched off.
    private var stopping: [String] = []

    init(
        _ modules: LazyLoader, _ container: Container, _ numbers: GenerationNumbers,
        outcomes: LoadOutcomes, state: LiveState, disk: Outlook
    ) {
        self.modules = modules
        self.container = container
        self.numbers = numbers
        self.outcomes = outcomes
        self.state = state
        self.disk = disk
    }

    mutating func run() {
        for (id, loaded) in outcomes.loaded.sorted(by: { $0.key < $1.key }) { look(at: id, loaded) }
        forgetOldFailures()
        let (outlook, isChosen) = decide()
        publish(outlook, isChosen)
    }

    // MARK: Files

    /// Compares a loaded module with its file.
    private mutating func look(at id: String, _ loaded: LoadOutcomes.Loaded) {
        guard let entry = disk.catalog.entry(id), entry.status != nil || !entry.isEnabled else {
            // Deleting a file harms nobody who uses it. Disabling the module takes it away.
            standing[id] = loaded.entry
            return
        }
        guard entry.isEnabled else {
            stopping.append(id)
            return
        }
        let identity = entry.status.map { FileIdentity($0) }
        let isSameFile = identity == loaded.entry.status.map { FileIdentity($0) }
        if isSameFile, entry.settings == loaded.entry.settings {
            // The file is what it was, and a host that starts now would still refuse it.
            if entry.problem != nil { standing[id] = loaded.entry }
            return
        }
        guard state.refused[id] != entry else {
            standing[id] = loaded.entry
            return
        }
        if let identity, isUnfinished(entry, identity) {
            standing[id] = loaded.entry
        } else if loaded.code == nil {
            keepInterface(id, loaded.entry, entry)
        } else {
            stage(entry, over: loaded)
        }
    }

    /// Whether somebody may still be writing a file. One that stays unfinished is refused after a while.
    private mutating func isUnfinished(_ entry: CatalogEntry, _ identity: FileIdentity) -> Bool {
        guard case .binary = entry.problem, case .unfinished = ELFWholeness(of: entry.file) else {
            state.unfinished[entry.id] = nil
            return false
        }
        let now = ContinuousClock.now
        if let seen = state.unfinished[entry.id], seen.identity == identity {
            return now - seen.since < LiveState.patience
        }
        state.unfinished[entry.id] = (identity, now)
        return true
    }

    /// Makes the next generation of a loaded module.
    private mutating func stage(_ entry: CatalogEntry, over loaded: LoadOutcomes.Loaded) {
        let id = entry.id
        var number: Int?
        do throws(ModuleError) {
            if let obstacle = state.book.obstacle(to: id) { throw ModuleError(entry, obstacle) }
            let lost = services(lostBy: id)
            if !lost.isEmpty { throw ModuleError(entry, SwapObstacle.takesAway(id, lost)) }
            let maker = modules.loader.maker(disk, inMemory: true)
            let checked = try maker.check(entry)
            let known = try outcomes.code(of: checked)
            if known === loaded.code, entry.settings == loaded.entry.settings {
                // Somebody touched the file, or signed it.
                outcomes.loaded[id]?.entry = entry
                return
            }
            let begun = begin(entry)
            number = begun
            state.book.advance(begun, to: .checked)
            try outcomes.bringInInterfaces(of: entry, maker)
            staged[id] = (begun, try make(checked, begun, by: maker, reusing: known))
        } catch {
            refuse(entry, number ?? begin(entry), error)
        }
    }

    /// Loads a module and lets it register, and writes each step into the book.
    private mutating func make(
        _ module: CheckedModule, _ number: Int, by maker: GenerationMaker,
        reusing known: LoadedCode?
    ) throws(ModuleError) -> StagedGeneration {
        var module = module
        module.number = number
        var (book, outcomes) = (state.book, outcomes)
        defer { (state.book, self.outcomes) = (book, outcomes) }
        return try maker.make(
            module, reusing: known, keeping: { outcomes.keep($0, of: module.entry.id) }
        ) { book.advance(number, to: $0) }
    }

    /// The services and features that a module answers for, and that nobody would provide any more.
    private func services(lostBy id: String) -> [String] {
        container.served.filter { $0.module == id }.compactMap { request, _ in
            let capability = Capability(request)
            do throws(ProviderError) {
                _ = try disk.catalog.provider(of: capability)
                return nil
            } catch .missing(_, let unusable, _, _, _) where unusable.isEmpty {
                return capability.description
            } catch {
                return nil
            }
        }
    }

    private mutating func begin(_ entry: CatalogEntry) -> Int {
        let number = numbers.next()
        state.book.begin(number, of: entry.id, version: entry.declaration?.version)
        return number
    }

    private mutating func refuse(_ entry: CatalogEntry, _ number: Int, _ error: ModuleError) {
        state.book.refuse(number, because: error.diagnostics)
        state.refused[entry.id] = entry
        state.unfinished[entry.id] = nil
        guard let loaded = outcomes.loaded[entry.id] else { return }
        standing[entry.id] = loaded.entry
        if let refused = state.book.record(number), let serving = state.book.serving(entry.id) {
            // The same code may have been tried with other settings.
            loaded.code?.name(serving.number)
            changes.append(.refused(HostGeneration(refused), serving: HostGeneration(serving)))
        }
    }

    /// An interface module that is loaded cannot be exchanged: other modules hold its types.
    private mutating func keepInterface(
        _ id: String, _ loaded: CatalogEntry, _ entry: CatalogEntry
    ) {
        standing[id] = loaded
        if entry.note == loaded.note { return }
        state.refused[id] = entry
        changes.append(.kept(HostError(ModuleError(entry, SwapObstacle.interface(id)))))
    }

    /// Lets modules that could not be loaded be tried again if their files or the manifest have changed.
    private mutating func forgetOldFailures() {
        for (id, failure) in outcomes.failed where disk.catalog.entry(id) != failure.entry {
            outcomes.failed[id] = nil
        }
    }

    // MARK: Decisions

    /// Decides for each service that somebody has asked for which module provides it from now on, and loads
    /// that module. Where none can, the one that provides it now stays.
    ///
    /// - Returns: The outlook that the host goes by from now on, and whether a registration is the one that
    ///   answers.
    private mutating func decide() -> (Outlook, (Registration) -> Bool) {
        let outlook = standing.isEmpty ? disk : Outlook(disk.manifest, standing: standing)
        var kept: [BindingChoices.Demand] = []
        var chosen: [String: String] = [:]
        var toldNow: [String: [Diagnostic]] = [:]
        for (request, module) in container.served where !stopping.contains(module) {
            let capability = Capability(request)
            guard outcomes.loaded[module] != nil else {
                // The program has linked it in: no file of it is on the disk.
                chosen[capability.key] = module
                continue
            }
            do {
                guard var provider = try outlook.catalog.provider(of: capability) else { continue }
                if outcomes.loaded[provider.id] == nil, staged[provider.id] == nil {
                    if try modules.freshen(provider, among: outlook.catalog) {
                        outlook.catalog.refresh()
                        provider = try outlook.catalog.provider(of: capability) ?? provider
                    }
                    try stageFirst(provider, by: outlook)
                }
                chosen[capability.key] = provider.id
            } catch {
                chosen[capability.key] = module
                if case .service(let service, let name) = capability {
                    kept.append(.init(BindingKey(service, name: name), module))
                }
                let problem = HostError(error)
                toldNow[capability.key] = problem.problems.map(\.diagnostic)
                if state.told[capability.key] != toldNow[capability.key] {
                    changes.append(.kept(problem))
                }
            }
        }
        state.told = toldNow
        var decided = outlook
        if !kept.isEmpty {
            var choices = disk.manifest.choices
            choices.demands += kept
            decided = Outlook(disk.manifest.choosing(choices), standing: standing)
        }
        let known = Set(outcomes.loaded.keys).union(staged.keys)
        return (
            decided,
            { [decided] registration in
                let capability = Capability(registration.request)
                if let module = chosen[capability.key] { return module == registration.module }
                if let module = registration.module, !known.contains(module) { return true }
                let provider = try? decided.catalog.provider(of: capability)
                return provider?.id == registration.module
            }
        )
    }

    /// Makes the first generation of a module that a service is bound to now.
    private mutating func stageFirst(
        _ entry: CatalogEntry, by outlook: Outlook
    ) throws(ModuleError) {
        if let earlier = outcomes.failed[entry.id] { throw earlier }
        let maker = modules.loader.maker(outlook)
        var begun: Int?
        do throws(ModuleError) {
            guard entry.problem == nil else {
                throw ModuleError(entry, UnusableModuleError(entry: entry))
            }
            try outcomes.bringInInterfaces(of: entry, maker)
            let checked = try maker.check(entry)
            let known = try outcomes.code(of: checked)
            let number = begin(entry)
            begun = number
            state.book.advance(number, to: .checked)
            staged[entry.id] = (number, try make(checked, number, by: maker, reusing: known))
        } catch {
            if let begun { state.book.refuse(begun, because: error.diagnostics) }
            outcomes.failed[entry.id] = error
            throw error
        }
    }

    // MARK: The switch

    /// Shows everything to the container. From here on nothing can fail but a key that two modules share.
    private mutating func publish(
        _ outlook: Outlook, _ isChosen: (Registration) -> Bool
    ) {
        let before = container.served
        // Containers that choose for themselves look at it during the exchange.
        modules.turn(to: outlook)
        let names = { (module: String, request: ServiceRequest) in
            outlook.manifest.chosen.names(of: request.qualifiedService, boundTo: module)
        }
        let maker = modules.loader.maker(outlook)
        for (id, (number, generation)) in staged.sorted(by: { $0.key < $1.key }) {
            let served = Set(before.filter { $0.module == id }.map { Capability($0.request).key })
            do throws(RegistrationError) {
                let left = try generation.registrar.replace(
                    in: container, where: { served.contains(Capability($0.request).key) },
                    alsoNamed: { names(id, $0) })
                took(over: id, number, generation, leaving: left)
                maker.tell(generation)
            } catch {
                refuse(generation.entry, number, ModuleError(generation.entry, error))
                modules.turn(to: Outlook(outlook.manifest, standing: standing))
            }
        }
        container.rebind(where: isChosen, alsoNamed: names)
        for id in stopping { stop(id) }
        tellBindings(before)
    }

    private mutating func took(
        over id: String, _ number: Int, _ generation: StagedGeneration,
        leaving left: RetiredInstances
    ) {
        let old = state.book.serving(id)
        if let old { state.book.drain(old.number, leaving: left) }
        state.book.advance(number, to: .serving)
        outcomes.take(generation.code, as: generation.entry)
        state.refused[id] = nil
        if let old, let was = state.book.record(old.number), let new = state.book.record(number) {
            changes.append(.swapped(HostGeneration(new), from: HostGeneration(was)))
        }
    }

    /// Takes back everything of a module that is switched off.
    private mutating func stop(_ id: String) {
        guard let serving = state.book.serving(id) else { return }
        let left = container.retire(module: id)
        state.book.drain(serving.number, leaving: left)
        outcomes.loaded[id] = nil
        if let record = state.book.record(serving.number) {
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
        }
    }
}
