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

/// Loads modules, each once and one at a time, starts those that have something to start, and makes what they register
/// visible.
///
/// Safe from any thread.
final class ModuleLoader: Sendable {
    private let observe: @Sendable (LoadEvent) -> Void
    private let outcomes = Mutex(LoadOutcomes())
    /// The modules that are being started, while others may be loaded.
    let starts = StartBoard()
    let lateStates = LateStates()
    private let limit = Mutex<Duration?>(nil)

    init(observe: @escaping @Sendable (LoadEvent) -> Void) {
        self.observe = observe
    }

    /// Loads a module unless it is loaded already.
    ///
    /// - Parameters:
    ///   - entry: The module.
    ///   - outlook: Gives the manifest and all modules. Asked when nobody else loads anything.
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
        while true {
            let step = try outcomes.withLock { outcomes throws(ModuleError) -> Step in
                if outcomes.loaded[entry.id] != nil { return .done(isNew: false) }
                if outcomes.isStopped { throw ModuleError(entry, LifecycleError.hostStopped) }
                if starts.isStarting(entry.id) { return .startedElsewhere }
                guard entry.problem == nil else {
                    throw ModuleError(entry, UnusableModuleError(entry: entry))
                }
                let maker = maker(outlook())
                try outcomes.bringInInterfaces(of: entry, maker)
                if let earlier = outcomes.failed[entry.id] { throw earlier }
                return try outcomes.noting(entry) { outcomes throws(ModuleError) in
                    try make(entry, by: maker, &outcomes) { generation throws(ModuleError) in
                        try commit(generation, to: container, alsoNamed: names, where: isChosen)
                    }
                }
            }
            switch step {
            case .done(let isNew):
                return isNew
            case .startedElsewhere:
                do throws(LifecycleError) {
                    try starts.wait(for: entry.id)
                } catch {
                    throw ModuleError(entry, error)
                }
            case .toStart(let generation, let maker, let snapshot):
                loadNeeds()
                return try start(generation, by: maker, restoring: snapshot, in: container) {
                    () throws(ModuleError) in
                    try commit(generation, to: container, alsoNamed: names, where: isChosen)
                }
            }
        }
    }

    private enum Step: Sendable {
        case done(isNew: Bool)
        /// Another thread, or this one further down, is starting the module.
        case startedElsewhere
        /// The module has registered, and has something to start. Nobody else starts it meanwhile.
        case toStart(StagedGeneration, GenerationMaker, restoring: [UInt8]?)
    }

    /// Makes the first generation of a module.
    private func make(
        _ entry: CatalogEntry, by maker: GenerationMaker, _ outcomes: inout LoadOutcomes,
        committing commit: (StagedGeneration) throws(ModuleError) -> Void
    ) throws(ModuleError) -> Step {
        if entry.declaration?.layer == .interface {
            try maker.bringIn(entry)
            outcomes.take(nil, as: entry)
            return .done(isNew: true)
        }
        let checked = try maker.check(entry)
        let generation = try maker.make(
            checked, reusing: outcomes.code(of: checked),
            keeping: { outcomes.keep($0, of: entry.id) })
        let snapshot = outcomes.handed[entry.id]
        if snapshot != nil, generation.lifecycle?.keepsState != true {
            throw ModuleError(entry, HandoverError.keepsNone(of: entry.id))
        }
        if generation.lifecycle != nil {
            starts.begin(entry.id)
            return .toStart(generation, maker, restoring: snapshot)
        }
        try commit(generation)
        maker.tell(generation)
        outcomes.take(generation.code, as: generation.entry)
        return .done(isNew: true)
    }

    /// Starts a module while nobody holds the lock, and then makes it visible.
    private func start(
        _ generation: StagedGeneration, by maker: GenerationMaker, restoring snapshot: [UInt8]?,
        in container: Container, committing commit: () throws(ModuleError) -> Void
    ) throws(ModuleError) -> Bool {
        let (entry, lifecycle) = (generation.entry, generation.lifecycle)
        // Others that wait for the module look again: it is loaded then, or has failed.
        defer { starts.end(entry.id) }
        // From now on, there is something to stop.
        Host.takeSignals()
        do {
            try ModuleError.naming(entry) {
                if let snapshot = snapshot ?? lateSnapshot(of: generation) {
                    try lifecycle?.restore(snapshot, within: LivePolicy.usual.lifecycleLimit)
                }
                try lifecycle?.start(container.resolver(forLifecycleOf: entry.id))
            }
            try outcomes.withLock { outcomes throws(ModuleError) in
                if outcomes.isStopped { throw ModuleError(entry, LifecycleError.hostStopped) }
                try commit()
                outcomes.handed[entry.id] = nil
                maker.tell(generation)
                outcomes.take(generation.code, as: entry, lifecycle)
            }
            return true
        } catch {
            do throws(LifecycleError) {
                try lifecycle?.stop(within: LivePolicy.usual.lifecycleLimit)
            } catch let failure {
                tell(failure, of: entry)
            }
            outcomes.withLock { $0.failed[entry.id] = error }
            throw error
        }
    }

    /// The state that the process before has handed over late.
    private func lateSnapshot(of generation: StagedGeneration) -> [UInt8]? {
        guard generation.lifecycle?.keepsState == true else { return nil }
        lateStates.wait()
        return outcomes.withLock { $0.handed[generation.entry.id] }
    }

    private func commit(
        _ generation: StagedGeneration, to container: Container,
        alsoNamed names: (ServiceRequest) -> [String], where isChosen: (Capability) -> Bool
    ) throws(ModuleError) {
        try ModuleError.naming(generation.entry) {
            try generation.registrar.commit(
                to: container, where: { isChosen(Capability($0.request)) }, alsoNamed: names)
        }
    }

    /// Warns of a module whose work did not end as it should.
    func tell(_ error: any Diagnosable, of entry: CatalogEntry) {
        for diagnostic in error.diagnostics {
            observe(.warned(diagnostic.naming(entry.id, entry.path)))
        }
    }

    /// Makes the interfaces that a module names part of the process, and does not load the module.
    func loadInterfaces(of entry: CatalogEntry, by outlook: Outlook) throws(ModuleError) {
        try outcomes.withLock { outcomes throws(ModuleError) in
            try outcomes.bringInInterfaces(of: entry, maker(outlook))
        }
    }

    /// Does something while nobody else loads anything.
    func exclusively<Result>(_ body: (inout LoadOutcomes) -> sending Result) -> sending Result {
        outcomes.withLock { body(&$0) }
    }

    /// Limits the time that a module's code has when it is loaded and when it registers: the host stays up, and one
    /// module must not stop it.
    func limitFirstRuns(to limit: Duration) { self.limit.withLock { $0 = limit } }

    /// Makes generations by an outlook.
    func maker(_ outlook: Outlook, inMemory: Bool = false) -> GenerationMaker {
        GenerationMaker(
            outlook: outlook, isInMemory: inMemory, limit: limit.withLock { $0 }, observe: observe)
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

    /// Does something for a module that is not loaded yet, and remembers an error.
    mutating func noting<Result>(
        _ entry: CatalogEntry, _ body: (inout LoadOutcomes) throws(ModuleError) -> Result
    ) throws(ModuleError) -> Result {
        do throws(ModuleError) {
            return try body(&self)
        } catch {
            // Whoever asks again has looked again.
            if !error.meansChanging { failed[entry.id] = error }
            throw error
        }
    }

    /// Makes the interfaces that a module names part of the process.
    mutating func bringInInterfaces(
        of entry: CatalogEntry, _ maker: GenerationMaker
    ) throws(ModuleError) {
        for interface in maker.outlook.catalog.interfaces(of: [entry])
        where loaded[interface.id] == nil {
            if let earlier = failed[interface.id] { throw earlier }
            try noting(interface) { outcomes throws(ModuleError) in
                try maker.bringIn(interface)
                outcomes.take(nil, as: interface)
            }
        }
    }

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
