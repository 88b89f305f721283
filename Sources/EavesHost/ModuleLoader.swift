// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesCatalog
import EavesDeclaration
import EavesDiagnostics
import EavesInterface
import EavesLoader
import EavesRegistry
import EavesRules
import EavesSystem
import Synchronization

/// Loads modules, each once, starts those that have something to start, and makes what they register visible.
///
/// Each module is loaded by one thread, which has claimed it on the ``LoadBoard``; others that need it wait for that
/// thread. The lock is held while nothing but memory and the container is touched, so that a module's code which does
/// not return holds up nobody else.
///
/// Safe from any thread.
final class ModuleLoader: Sendable {
    private let observe: @Sendable (LoadEvent) -> Void
    private let outcomes = Mutex(LoadOutcomes())
    /// The modules that are being loaded.
    let board = LoadBoard()
    let lateStates = LateStates()
    private let limit = Mutex<Duration?>(nil)

    init(observe: @escaping @Sendable (LoadEvent) -> Void) {
        self.observe = observe
    }

    /// Loads a module unless it is loaded already.
    ///
    /// - Parameters:
    ///   - entry: The module.
    ///   - outlook: Gives the manifest and all modules.
    ///   - container: Where its factories are registered.
    ///   - names: The names under which the module answers for a service although it registers it without
    ///     one.
    ///   - isChosen: Whether this module is the one that provides a capability.
    ///   - loadNeeds: Loads the modules that it requires. Called if it has something to start.
    /// - Returns: Whether this call loaded it.
    /// - Throws: ``ModuleError``; then nothing of the module is registered, and trying again throws the
    ///   same error.
    func load(
        _ entry: CatalogEntry, by outlook: () -> Outlook, into container: Container,
        alsoNamed names: (ServiceRequest) -> [String], where isChosen: (Capability) -> Bool,
        needs loadNeeds: () -> Void
    ) throws(ModuleError) -> Bool {
        try once(entry) { () throws(ModuleError) in
            guard entry.problem == nil else {
                throw ModuleError(entry, UnusableModuleError(entry: entry))
            }
            let maker = maker(outlook())
            try bringInInterfaces(of: entry, maker)
            try noting(entry) { () throws(ModuleError) in
                if entry.declaration?.layer == .interface { return try bringIn(entry, maker) }
                let generation = try make(entry, by: maker)
                do throws(ModuleError) {
                    if generation.lifecycle != nil {
                        board.start(entry.id)
                        loadNeeds()
                        try start(generation, in: container)
                    }
                    try publish(generation, of: maker.outlook, unlike: outlook) {
                        try generation.registrar.commit(
                            to: container, where: { isChosen(Capability($0.request)) },
                            alsoNamed: names)
                    }
                } catch {
                    end(generation.lifecycle, of: entry)
                    throw error
                }
                maker.tell(generation)
            }
        }
    }

    /// Does something for a module that is not loaded yet, on one thread at a time.
    ///
    /// - Returns: Whether it was not loaded.
    private func once(
        _ entry: CatalogEntry, _ body: () throws(ModuleError) -> Void
    ) throws(ModuleError) -> Bool {
        while true {
            switch try claim(entry) {
            case .loaded:
                return false
            case .claimed:
                // Others that wait for the module look again: it is loaded then, or has failed.
                defer { board.end(entry.id) }
                try body()
                return true
            case .taken:
                do throws(LifecycleError) {
                    try board.wait(for: entry.id)
                } catch {
                    throw ModuleError(entry, error)
                }
            }
        }
    }

    enum Claim: Sendable {
        /// The module is loaded already.
        case loaded
        /// The calling thread loads it. Nobody else does, until the thread ends that on the board.
        case claimed
        /// Another thread loads it, or this one further down.
        case taken
    }

    /// Claims a module for the calling thread.
    ///
    /// - Throws: The error that the module had before, or because the host has stopped.
    func claim(_ entry: CatalogEntry) throws(ModuleError) -> Claim {
        try outcomes.withLock { outcomes throws(ModuleError) in
            if outcomes.loaded[entry.id] != nil { return .loaded }
            if outcomes.isStopped { throw ModuleError(entry, LifecycleError.hostStopped) }
            if board.isLoading(entry.id) { return .taken }
            if let earlier = outcomes.failed[entry.id] { throw earlier }
            board.begin(entry.id)
            return .claimed
        }
    }

    /// Does something for a module that is not loaded yet, and remembers an error.
    func noting<Result>(
        _ entry: CatalogEntry, _ body: () throws(ModuleError) -> Result
    ) throws(ModuleError) -> Result {
        do throws(ModuleError) {
            return try body()
        } catch {
            // Whoever asks again has looked again.
            if !error.meansChanging { outcomes.withLock { $0.failed[entry.id] = error } }
            throw error
        }
    }

    /// Makes the interfaces that a module names part of the process.
    func bringInInterfaces(
        of entry: CatalogEntry, _ maker: GenerationMaker
    ) throws(ModuleError) {
        for interface in maker.outlook.catalog.interfaces(of: [entry]) {
            _ = try once(interface) { () throws(ModuleError) in
                try noting(interface) { () throws(ModuleError) in
                    try bringIn(interface, maker)
                }
            }
        }
    }

    private func bringIn(
        _ interface: CatalogEntry, _ maker: GenerationMaker
    ) throws(ModuleError) {
        try maker.bringIn(interface)
        outcomes.withLock { $0.take(nil, as: interface) }
    }

    /// Makes the first generation of a module.
    private func make(
        _ entry: CatalogEntry, by maker: GenerationMaker
    ) throws(ModuleError) -> StagedGeneration {
        let checked = try maker.check(entry)
        let generation = try maker.make(
            checked, reusing: code(of: checked), keeping: keep(of: entry.id))
        let hasState = outcomes.withLock { $0.handed[entry.id] != nil }
        if hasState, generation.lifecycle?.keepsState != true {
            throw ModuleError(entry, HandoverError.keepsNone(of: entry.id))
        }
        return generation
    }

    /// The code of the same build that the process has already; `nil` if it has none.
    ///
    /// - Throws: If the types of the module could not be told apart from those of a build that is loaded.
    func code(of module: CheckedModule) throws(ModuleError) -> LoadedCode? {
        try outcomes.withLock { outcomes throws(ModuleError) in try outcomes.code(of: module) }
    }

    /// Notes that code of a module is part of the process from now on, whatever becomes of it.
    func keep(of id: String) -> (LoadedCode) -> Void {
        { [self] code in outcomes.withLock { $0.keep(code, of: id) } }
    }

    /// Starts a module that nobody sees yet.
    private func start(
        _ generation: StagedGeneration, in container: Container
    ) throws(ModuleError) {
        let (id, lifecycle) = (generation.entry.id, generation.lifecycle)
        // From now on, there is something to stop.
        Host.takeSignals()
        try ModuleError.naming(generation.entry) {
            let snapshot = outcomes.withLock { $0.handed[id] }
            if let snapshot = snapshot ?? lateSnapshot(of: generation) {
                try lifecycle?.restore(snapshot, within: LivePolicy.usual.lifecycleLimit)
            }
            try lifecycle?.start(container.resolver(forLifecycleOf: id))
        }
    }

    /// Makes a module visible.
    ///
    /// - Parameters:
    ///   - outlook: The one by which the module was loaded. If the host goes by another one now, the module may have to be
    ///     another file.
    ///   - commit: Shows the module to the container.
    private func publish(
        _ generation: StagedGeneration, of outlook: Outlook, unlike present: () -> Outlook,
        committing commit: () throws -> Void
    ) throws(ModuleError) {
        let entry = generation.entry
        try outcomes.withLock { outcomes throws(ModuleError) in
            if outcomes.isStopped { throw ModuleError(entry, LifecycleError.hostStopped) }
            // A look at the disk has brought it in with a switch.
            if outcomes.loaded[entry.id] != nil { return }
            let catalog = present().catalog
            if catalog !== outlook.catalog, let now = catalog.entry(entry.id), now != entry {
                throw ModuleError(entry, ChangingFileError())
            }
            try ModuleError.naming(entry, commit)
            outcomes.handed[entry.id] = nil
            outcomes.take(generation.code, as: entry, generation.lifecycle)
        }
    }

    /// Stops what was started and will never serve.
    private func end(_ lifecycle: GenerationLifecycle?, of entry: CatalogEntry) {
        do throws(LifecycleError) {
            try lifecycle?.stop(within: LivePolicy.usual.lifecycleLimit)
        } catch {
            tell(error, of: entry)
        }
    }

    /// The state that the process before has handed over late.
    private func lateSnapshot(of generation: StagedGeneration) -> [UInt8]? {
        guard generation.lifecycle?.keepsState == true else { return nil }
        lateStates.wait()
        return outcomes.withLock { $0.handed[generation.entry.id] }
    }

    /// Warns of a module whose work did not end as it should.
    func tell(_ error: any Diagnosable, of entry: CatalogEntry) {
        for diagnostic in error.diagnostics {
            observe(.warned(diagnostic.naming(entry.id, entry.path)))
        }
    }

    /// Makes the interfaces that a module names part of the process, and does not load the module.
    func loadInterfaces(of entry: CatalogEntry, by outlook: Outlook) throws(ModuleError) {
        try bringInInterfaces(of: entry, maker(outlook))
    }

    /// Does something while no module becomes visible. Touches nothing but memory and the container.
    func exclusively<Result>(_ body: (inout LoadOutcomes) -> sending Result) -> sending Result {
        outcomes.withLock { body(&$0) }
    }

    /// Limits the time that a module's code has when it is loaded and when it registers: the host stays up, and one
    /// module must not stop it.
    func limitFirstRuns(to limit: Duration) { self.limit.withLock { $0 = limit } }

    /// Makes generations by an outlook.
    func maker(_ outlook: Outlook, inMemory: Bool = false) -> GenerationMaker {
        GenerationMaker(
            outlook: outlook, isInMemory: inMemory, limit: limit.withLock { $0 }, board: board,
            observe: observe)
    }
}

/// The results of loading, by the modules' ids.
struct LoadOutcomes: Sendable {
    /// A module that is loaded.
    struct Loaded: Sendable {
        /// The module as it was when it was loaded.
        var entry: CatalogEntry
        /// Its code; `nil` for an interface module.
        var code: LoadedCode?
        /// Begins and ends its work; `nil` if it has none.
        var lifecycle: GenerationLifecycle?
    }

    var loaded: [String: Loaded] = [:]
    var failed: [String: ModuleError] = [:]
    /// The snapshots that modules restore before they start for the first time.
    var handed: [String: [UInt8]] = [:]
    /// The life cycles that have begun and were not ended, in the order in which their modules began: a new generation
    /// stands next to the one that it replaces.
    private(set) var begun: [(entry: CatalogEntry, lifecycle: GenerationLifecycle)] = []
    /// Which modules' code has asked for which modules' services, as far as the container has no longer a note of it.
    var asked: Set<ModuleUse> = []
    /// Whether the host has stopped. It loads no module any more.
    var isStopped = false
    /// All code of each module that the host has ever loaded, oldest first: it stays in the process.
    private var codes: [String: [LoadedCode]] = [:]

    /// Notes what a module is loaded as from now on.
    ///
    /// - Parameters:
    ///   - code: Its code; `nil` for an interface module.
    ///   - lifecycle: Has been started.
    mutating func take(
        _ code: LoadedCode?, as entry: CatalogEntry, _ lifecycle: GenerationLifecycle? = nil
    ) {
        loaded[entry.id] = Loaded(entry: entry, code: code, lifecycle: lifecycle)
        guard let lifecycle else { return }
        let place = begun.lastIndex { $0.entry.id == entry.id }.map { $0 + 1 }
        begun.insert((entry, lifecycle), at: place ?? begun.count)
    }

    /// Forgets a life cycle that is being ended.
    mutating func forget(_ lifecycle: GenerationLifecycle) {
        begun.removeAll { $0.lifecycle === lifecycle }
    }

    /// Ends the loading of modules.
    ///
    /// - Parameter uses: Which modules' code has asked for which modules' services.
    /// - Returns: The life cycles to end, in the order in which they are to end; of one module, the newest first.
    mutating func stop(
        knowing uses: Set<ModuleUse>
    ) -> [(entry: CatalogEntry, lifecycle: GenerationLifecycle)] {
        isStopped = true
        defer { begun = [] }
        let entries = loaded.values.map(\.entry) + begun.map(\.entry)
        var started: [String] = []
        for one in begun where started.last != one.entry.id { started.append(one.entry.id) }
        return StopOrder(entries, asked: asked.union(uses)).order(of: started).flatMap { id in
            begun.reversed().filter { $0.entry.id == id }
        }
    }

    /// Notes that code of a module is part of the process from now on, whatever becomes of it.
    mutating func keep(_ code: LoadedCode, of id: String) {
        guard codes[id]?.contains(where: { $0 === code }) != true else { return }
        codes[id, default: []].append(code)
    }

    /// The code of the same build that the process has already; `nil` if it has none.
    ///
    /// - Throws: If the types of the module could not be told apart from those of a build that is loaded.
    func code(of module: CheckedModule) throws(ModuleError) -> LoadedCode? {
        guard let codes = codes[module.entry.id] else { return nil }
        return try ModuleError.naming(module.entry) {
            let digest = module.copy.digest
            let tag = module.entry.note?.tag
            for code in codes {
                if code.digest == digest { return code }
                // Signing a file, or stripping it, does not make another build.
                if let inputs = tag?.inputs, inputs == code.inputs { return code }
            }
            // Modules that use the C ABI alone have no Swift types.
            if tag?.interface != nil, tag?.inputs == nil {
                throw SwapObstacle.sameTypes(module.entry.id)
            }
            return nil
        }
    }
}
