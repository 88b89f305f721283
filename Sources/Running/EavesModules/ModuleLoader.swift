// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

package import EavesCatalog
import EavesDeclaration
import EavesInterface
package import EavesLife
import EavesLoader
package import EavesRegistry
import EavesRules
package import EavesSystem

/// Loads modules, each once, starts those that have something to start, and makes what they register visible.
///
/// Each module is loaded by one thread, which has claimed it on the ``LoadBoard``; others that need it wait for that
/// thread. The lock is held while nothing but memory and the container is touched, so that a module's code which does
/// not return holds up no other thread.
///
/// Safe from any thread.
package final class ModuleLoader: Sendable {
    let observers: HostObservers
    package let memory = Shared(Running())
    package let board = LoadBoard()
    /// The closure that holds back calls of modules with state while that goes over from process to process, and first
    /// loads of such modules; `nil` before the first time.
    package let stateClosure = Shared<GateClosure?>(nil)
    let isolation: (any ModuleIsolation)?
    /// The private copies of modules that a process loads when it may open no file any more, checked while it still could.
    let prepared = Shared<[CatalogEntry: CheckedModule]>([:])
    /// The time that a module's code has to return when it runs for the first time; `nil` for no limit. In a host that stays
    /// up, one module must not stop it.
    package let limit = Shared<Duration?>(nil)
    /// The pauses before the process of an isolated module is started again.
    let pauses: ClosedRange<Duration>
    /// A function that is called before a module starts that has something to stop.
    private let beginWork: @Sendable () -> Void
    /// A function that is called when a module has been loaded, on the thread that has loaded it.
    package let afterLoad = Shared<(@Sendable () -> Void)?>(nil)

    init(
        observers: HostObservers, pauses: ClosedRange<Duration>,
        isolation: (any ModuleIsolation)?, beforeWork beginWork: @escaping @Sendable () -> Void
    ) {
        self.observers = observers
        self.pauses = pauses
        self.isolation = isolation
        self.beginWork = beginWork
    }

    package var running: Running {
        get { memory.value }
        _modify { yield &memory.value }
    }

    /// Loads a module unless it is loaded already.
    ///
    /// - Parameters:
    ///   - names: The names under which the module answers for a service although it registers it without one.
    ///   - isChosen: Whether this module is the one that provides a capability.
    ///   - loadNeeds: A function that loads the modules that it requires. Called if it has something to start.
    /// - Returns: Whether this call loaded it.
    /// - Throws: ``ModuleError``; then nothing of the module is registered, and trying again throws the same error.
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
            // Before the module is checked: what is wrong with an interface is told of that.
            try bringInInterfaces(of: entry, maker)
            try noting(entry) { () throws(ModuleError) in
                if entry.declaration?.layer == .interface {
                    try maker.bringIn(entry)
                    return running.take(ModuleLife.Loaded(entry: entry))
                }
                let generation = try maker.make(maker.check(entry))
                closure(for: generation)?.wait()
                do throws(ModuleError) {
                    board.start(entry.id)
                    let state = try ModuleError.naming(entry) {
                        try start(generation, in: container, needs: loadNeeds)
                    }
                    try publish(generation, with: state, of: maker.outlook, unlike: outlook) {
                        try generation.registrar.commit(
                            to: container, where: { isChosen(Capability($0.request)) },
                            alsoNamed: names)
                    }
                } catch {
                    stop(generation.lifecycle, of: entry)
                    throw error
                }
                afterLoad.value?()
                maker.tell(generation)
            }
        }
    }

    /// Runs a function for a module that is not loaded yet, on one thread at a time.
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

    package enum Claim: Sendable {
        case loaded
        /// The calling thread loads it. No other thread does, until this one ends that on the board.
        case claimed
        /// Another thread loads it, or this one further down.
        case taken
    }

    /// Claims a module for the calling thread.
    ///
    /// - Throws: The error that the module had before, or because the host has stopped.
    package func claim(_ entry: CatalogEntry) throws(ModuleError) -> Claim {
        try memory.exclusively { () throws(ModuleError) in
            let life = running[module: entry.id]
            if life.isLoaded { return .loaded }
            if running.isStopped { throw ModuleError(entry, LifecycleError.hostStopped) }
            if board.isLoading(entry.id) { return .taken }
            if let earlier = life.failure { throw earlier }
            board.begin(entry.id)
            return .claimed
        }
    }

    /// Runs a function for a module that is not loaded yet, and remembers an error.
    package func noting<Result>(
        _ entry: CatalogEntry, _ body: () throws(ModuleError) -> Result
    ) throws(ModuleError) -> Result {
        do throws(ModuleError) {
            return try body()
        } catch {
            let error = running.explained(error)
            // A caller who asks again has looked again.
            if !error.meansChanging { running.fail(entry.id, because: error) }
            throw error
        }
    }

    /// Makes the interfaces that a module names part of the process.
    ///
    /// - Parameter expecting: A function that gets the digest of each before a byte of it runs.
    package func bringInInterfaces(
        of entry: CatalogEntry, _ maker: GenerationMaker,
        _ expecting: (SHA256Digest) -> Void = { _ in }
    ) throws(ModuleError) {
        for interface in maker.outlook.catalog.interfaces(of: [entry]) {
            _ = try once(interface) { () throws(ModuleError) in
                try noting(interface) { () throws(ModuleError) in
                    try maker.bringIn(interface, expecting)
                    running.take(ModuleLife.Loaded(entry: interface))
                }
            }
        }
    }

    /// Refuses a first generation that does not take on the state which the process before has handed over.
    func checkHandedState(of generation: StagedGeneration) throws(ModuleError) {
        let id = generation.entry.id
        if running[module: id].handed != nil, generation.lifecycle?.keepsState != true {
            throw ModuleError(generation.entry, HandoverError.keepsNone(of: id))
        }
    }

    /// Starts a generation that no other code sees yet. The first one of a module takes on the state that the process before
    /// has handed over.
    ///
    /// - Parameters:
    ///   - limit: The time that each function of the module has. If `nil`, the module starts on this thread, as long as that
    ///     takes, and is not asked for its health.
    ///   - hasState: Whether it has taken on the state of another module.
    ///   - loadNeeds: A function that loads the modules that it requires.
    /// - Returns: The state that the process before has handed over, if it has taken on one.
    @discardableResult
    package func start(
        _ generation: StagedGeneration, in container: Container, within limit: Duration? = nil,
        hasState: Bool = false, needs loadNeeds: () -> Void
    ) throws -> [UInt8]? {
        guard let lifecycle = generation.lifecycle else { return nil }
        let id = generation.entry.id
        loadNeeds()
        // From now on, there is something to stop.
        beginWork()
        let snapshot = hasState ? nil : running[module: id].handed
        if let snapshot {
            try lifecycle.restore(snapshot, within: limit ?? LivePolicy.usual.lifecycleLimit)
        }
        let resolver = container.resolver(forLifecycleOf: id)
        guard let limit else {
            try lifecycle.start(resolver)
            return snapshot
        }
        let own = WaitGraph.current
        defer { board.stopWaiting() }
        try lifecycle.start(resolver, within: limit) { [board] start in
            try board.working(for: own, start)
        }
        try lifecycle.checkHealth(within: limit)
        return snapshot
    }

    /// Makes a module visible.
    ///
    /// - Parameters:
    ///   - state: The state that it has taken on. If the process before has handed over a later one meanwhile, it takes on
    ///     that, too.
    ///   - outlook: The one by which the module was loaded. If the host goes by another one now, the module may have to be
    ///     another file.
    ///   - commit: A function that shows the module to the container.
    private func publish(
        _ generation: StagedGeneration, with state: [UInt8]?, of outlook: Outlook,
        unlike present: () -> Outlook, committing commit: () throws -> Void
    ) throws(ModuleError) {
        let entry = generation.entry
        let (closure, later) = try memory.exclusively {
            () throws(ModuleError) -> (GateClosure?, [UInt8]?) in
            if running.isStopped { throw ModuleError(entry, LifecycleError.hostStopped) }
            // A look at the disk has brought it in with a switch.
            if running[module: entry.id].isLoaded { return (nil, nil) }
            if let closure = self.closure(for: generation) { return (closure, nil) }
            if let handed = running[module: entry.id].handed, handed != state {
                return (nil, handed)
            }
            let catalog = present().catalog
            if catalog !== outlook.catalog, let now = catalog.entry(entry.id), now != entry {
                throw ModuleError(entry, ChangingFileError())
            }
            try ModuleError.naming(entry, commit)
            running.take(generation.loaded)
            return (nil, nil)
        }
        if closure == nil, later == nil { return }
        closure?.wait()
        if let later {
            try ModuleError.naming(entry) {
                try checkHandedState(of: generation)
                try generation.lifecycle?.restore(later, within: LivePolicy.usual.lifecycleLimit)
            }
        }
        try publish(
            generation, with: later ?? state, of: outlook, unlike: present, committing: commit)
    }

    /// The closure that holds a module back because it keeps state; `nil` if none does.
    private func closure(for generation: StagedGeneration) -> GateClosure? {
        guard generation.lifecycle?.keepsState == true else { return nil }
        return stateClosure.value.flatMap { $0.isOver ? nil : $0 }
    }

    /// Stops a module if it runs, and warns if its work does not end as it should.
    ///
    /// - Returns: Whether it does.
    @discardableResult
    package func stop(
        _ lifecycle: GenerationLifecycle?, of entry: CatalogEntry,
        within limit: Duration = LivePolicy.usual.lifecycleLimit
    ) -> Bool {
        do throws(LifecycleError) {
            try lifecycle?.stop(within: limit)
            return true
        } catch {
            observers.warn(error.diagnostic.naming(entry.id, entry.path))
            return false
        }
    }

    package func maker(_ outlook: Outlook, inMemory: Bool = false) -> GenerationMaker {
        GenerationMaker(outlook: outlook, isInMemory: inMemory, loader: self)
    }
}
