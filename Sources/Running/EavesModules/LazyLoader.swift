// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

package import EavesCatalog
package import EavesDeclaration
package import EavesDiagnostics
import EavesInterface
package import EavesLife
package import EavesLoader
package import EavesManifest
package import EavesRegistry
import EavesSystem
import Synchronization

/// Loads modules into a container when code asks for something of them: asks the catalog which
/// module provides it, has its file brought up to date, and hands it to the ``ModuleLoader``.
///
/// Safe from any thread.
package final class LazyLoader: Sendable {
    private let current: Mutex<(outlook: Outlook, turn: Int)>
    private let source: any ModuleSource
    package let loader: ModuleLoader
    /// The services whose providers are all loaded.
    private let complete = Mutex<Set<String>>([])
    private let isChecked = Atomic(false)
    /// The modules that a launch has brought up to date, whose sources are not looked at again until then: its feature asks
    /// for most of them at once.
    private let fresh = Shared((modules: [String](), until: ContinuousClock.now))
    private let freshTime: Duration

    /// Looks at no module yet.
    ///
    /// - Parameters:
    ///   - policy: The pauses before the process of an isolated module is started again.
    ///   - beginWork: A function that is called before a module starts that has something to stop.
    package init(
        manifest: Manifest, source: any ModuleSource, observers: HostObservers,
        policy: LivePolicy = LivePolicy(), isolation: (any ModuleIsolation)? = nil,
        beforeWork beginWork: @escaping @Sendable () -> Void = {}
    ) {
        self.source = source
        freshTime = policy.freshTime
        current = Mutex((Outlook(manifest), 0))
        loader = ModuleLoader(
            observers: observers, pauses: policy.restartPauses, isolation: isolation,
            beforeWork: beginWork)
    }

    package func warn(_ diagnostic: Diagnostic) { loader.observers.warn(diagnostic) }

    package var outlook: Outlook { current.withLock { $0.outlook } }
    package var catalog: Catalog { outlook.catalog }
    package var manifest: Manifest { outlook.manifest }

    package func turn(to outlook: Outlook) {
        current.withLock { $0 = (outlook, $0.turn + 1) }
        complete.withLock { $0 = [] }
        fresh.value.modules = []
    }

    static let hostServices: Set<String> = [
        ServiceRequest((any Routing).self).qualifiedService,
        ServiceRequest(Logger.self).qualifiedService,
        ServiceRequest((any Listeners).self).qualifiedService,
    ]

    // MARK: Launching

    /// Plans the launch of a feature and brings the modules that it needs up to date.
    ///
    /// - Throws: ``PlanError``, or what the source throws if a module cannot be built.
    package func plan(
        for feature: String, bound bindings: ChosenBindings? = nil,
        unless isOwn: @escaping (Capability) -> Bool
    ) throws -> Plan {
        try checkManifest()
        func planNow() throws(PlanError) -> Plan {
            try Plan(launching: feature, catalog, bound: bindings, unless: isOwn)
        }
        let plan = try planFromDeclarations(planNow)
        guard try source.freshen(plan.modules) else {
            fresh.value = (plan.modules.map(\.id), .now + freshTime)
            return plan
        }
        refresh()
        return try planNow()
    }

    /// Plans with the modules as they are. If that fails, an edited `module.json` may declare what its built module
    /// does not, and a module in quarantine may have been mended, so those modules are built first. A module that does
    /// not build harms no other: its message is shown only if the feature is not found without it.
    private func planFromDeclarations(_ planNow: () throws(PlanError) -> Plan) throws -> Plan {
        var obstacles: [Diagnostic] = []
        do throws(PlanError) {
            return try planNow()
        } catch {
            let edited = catalog.entries.filter { $0.hasNewDeclaration || $0.mayBeMended }
            switch Result(catching: { try source.freshen(edited) }) {
            case .success(false): throw error
            case .success(true): break
            case .failure(let failure as any Diagnosable): obstacles = failure.diagnostics
            case .failure(let failure): throw failure
            }
        }
        refresh()
        do throws(PlanError) {
            return try planNow()
        } catch {
            throw PlanError(problems: error.problems, obstacles: obstacles)
        }
    }

    // MARK: Loading

    /// Loads the module that provides a capability.
    ///
    /// - Returns: Whether this call loaded one.
    /// - Throws: `NotProvidedError` if no module provides it, except modules that are switched off;
    ///   ``ProviderError`` if no module can be chosen, ``ModuleError`` if it cannot be loaded.
    package func provide(_ capability: Capability, in container: Container) throws -> Bool {
        try checkManifest()
        var hasLoaded = false
        while true {
            let turn = current.withLock { $0.turn }
            let isLoaded = Result { try provideNow(capability, in: container) }
            if case .success(true) = isLoaded { hasLoaded = true }
            // If the host has turned to another outlook meanwhile, another module may be the right one.
            if current.withLock({ $0.turn }) == turn { return try isLoaded.get() || hasLoaded }
        }
    }

    private func provideNow(_ capability: Capability, in container: Container) throws -> Bool {
        guard let entry = try mended(capability) else { return false }
        let fresh = fresh.value
        if fresh.modules.contains(entry.id), fresh.until > .now {
            return try load(entry, into: container)
        }
        guard try freshen(entry, among: catalog) else {
            return try load(entry, into: container)
        }
        refresh()
        guard let fresh = try provider(of: capability) else { return false }
        return try load(fresh, into: container)
    }

    /// Whether ``provide(_:in:)`` would load a module for a capability, or say why it cannot. Loads nothing.
    package func offers(_ capability: Capability) -> Bool {
        do {
            return try provider(of: capability) != nil
        } catch {
            return !(error is NotProvidedError)
        }
    }

    /// The provider of a capability. If there is none, modules in quarantine that may have been mended are built first.
    private func mended(_ capability: Capability) throws -> CatalogEntry? {
        do throws(ProviderError) {
            return try catalog.provider(of: capability)
        } catch {
            guard try source.freshen(error.unusable.filter(\.mayBeMended)) else {
                throw error.forContainer
            }
        }
        refresh()
        return try provider(of: capability)
    }

    private func provider(
        of capability: Capability, bound bindings: ChosenBindings? = nil
    ) throws -> CatalogEntry? {
        do throws(ProviderError) {
            return try catalog.provider(of: capability, bound: bindings)
        } catch {
            throw error.forContainer
        }
    }

    /// Loads every module that provides a service, whatever it is bound to.
    ///
    /// - Throws: The error of the first one that cannot be loaded. Those before it stay loaded.
    package func provideAll(_ service: String, in container: Container) throws {
        if complete.withLock({ $0.contains(service) }) { return }
        try checkManifest()
        let entries = catalog.providers(ofAll: service)
        let kept = catalog.modules(providing: service).filter(\.mayBeMended)
        if try source.freshen(catalog.interfaces(of: entries) + entries + kept) { refresh() }
        for entry in catalog.providers(ofAll: service) { try load(entry, into: container) }
        _ = complete.withLock { $0.insert(service) }
    }

    /// Loads every available module.
    ///
    /// - Returns: An error for each module that cannot be loaded, in the order of their ids.
    package func loadAll(into container: Container) throws -> [ModuleError] {
        let kept = catalog.entries.filter(\.mayBeMended)
        if try source.freshen(catalog.entries.filter(\.isAvailable) + kept) { refresh() }
        return catalog.entries.filter(\.isAvailable).compactMap { entry in
            do throws(ModuleError) {
                try load(entry, into: container)
                return nil
            } catch {
                return error
            }
        }
    }

    /// Loads a module unless it is loaded already.
    ///
    /// - Returns: Whether this call loaded it.
    @discardableResult
    package func load(_ entry: CatalogEntry, into container: Container) throws(ModuleError) -> Bool
    {
        try Catalog.knowing(entry, { catalog }) { entry throws(ModuleError) in
            try loader.load(
                entry, by: { outlook }, into: container,
                alsoNamed: {
                    self.manifest.chosen.names(of: $0.qualifiedService, boundTo: entry.id)
                },
                where: { isChosen(entry, for: $0) },
                needs: { loadNeeds(of: entry, into: container) })
        }
    }

    /// Loads the modules that provide what a module is declared to require, as far as that is possible. Code
    /// that asks for a service which is not available gets the reason.
    package func loadNeeds(of entry: CatalogEntry, into container: Container) {
        for service in entry.declaration?.requires ?? [] {
            let capability = Capability.service(service, name: nil)
            if container.hasOwn(where: { Capability($0).agrees(with: capability) }) { continue }
            _ = try? provide(capability, in: container)
        }
    }

    /// Brings a module up to date for a container that chooses by other bindings than the manifest's, and loads it.
    ///
    /// - Parameter above: The bindings that decide for the container above that one.
    /// - Returns: The id of the module, which that container has to have itself; `nil` if the container above
    ///   gives the same.
    /// - Throws: As ``provide(_:in:)``.
    func choose(
        _ capability: Capability, bound bindings: ChosenBindings, unlike above: ChosenBindings,
        in container: Container
    ) throws -> String? {
        try checkManifest()
        guard var entry = try provider(of: capability, bound: bindings) else { return nil }
        let differences = bindings.differences(from: above)
        guard
            !isChosen(entry, for: capability, above)
                || depends(entry, on: differences, bindings)
        else { return nil }
        if try freshen(entry, among: catalog) {
            refresh()
            guard let fresh = try provider(of: capability, bound: bindings) else { return nil }
            entry = fresh
        }
        try load(entry, into: container)
        return entry.id
    }

    /// Whether a module requires a service that is chosen differently, itself or through others.
    func depends(
        _ entry: CatalogEntry, on differences: [BindingKey: String], _ bindings: ChosenBindings
    ) -> Bool {
        let needs = catalog.needs(of: entry, bound: bindings).modules
        return needs.flatMap { $0.declaration?.requires ?? [] }.contains { service in
            differences.keys.contains { ServiceName.agree($0.service, service) }
        }
    }

    package func loadInterfaces(of entry: CatalogEntry) throws {
        try loader.bringInInterfaces(of: entry, loader.maker(outlook))
    }

    /// Whether a module is the one that provides a capability, out of all that could.
    func isChosen(
        _ entry: CatalogEntry, for capability: Capability, _ bindings: ChosenBindings? = nil
    ) -> Bool {
        // If no module can be chosen, asking for the capability reports the reason.
        (try? catalog.provider(of: capability, bound: bindings))?.id == entry.id
    }

    /// Brings modules and the interfaces that they name up to date.
    ///
    /// - Returns: Whether any file changed. Then the catalog has to look again.
    package func freshen(_ entry: CatalogEntry, among catalog: Catalog) throws -> Bool {
        try source.freshen(catalog.interfaces(of: [entry]) + [entry])
    }

    private func refresh() {
        catalog.refresh()
        complete.withLock { $0 = [] }
    }

    /// Refuses to load anything as long as the manifest demands something of modules that are nowhere. If it does not,
    /// tells once of its other ids that no module has, and what is wrong with the quarantine: a module may be let in that
    /// should be kept out.
    package func checkManifest() throws(UnknownModulesError) {
        guard !isChecked.load(ordering: .relaxed) else { return }
        let unknown = try catalog.checkIDs()
        guard !isChecked.exchange(true, ordering: .relaxed) else { return }
        // Loading reports an untrusted store as an error.
        let kept = catalog.quarantineDiagnostics.filter { $0.code != .untrusted }
        (unknown + kept).forEach(warn)
    }
}

// Modules in processes of their own.
extension LazyLoader {
    /// Starts the processes of a plan's isolated modules, while the first of its modules are loaded.
    package func prepareWorkers(for plan: Plan) {
        loader.isolation?.prepare(
            plan.modules.filter { entry in
                entry.isIsolated && entry.problem == nil
                    && !loader.running[module: entry.id].isLoaded
            })
    }

    package func endSpareWorkers(of plan: Plan) {
        loader.isolation?.endUnused(of: plan.modules.map(\.id))
    }

    /// Makes and checks the private copies of everything that a module needs, directly or through others: the process can
    /// load it then without opening a file.
    ///
    /// - Returns: The copies. One that cannot be made is missing, and loading its module says why.
    package func prepareNeeds(of entry: CatalogEntry) -> [PrivateCopy] {
        let maker = loader.maker(outlook)
        let needs = catalog.needs(of: entry).modules
        return (catalog.interfaces(of: needs) + needs.dropLast()).compactMap { module in
            guard let checked = try? maker.check(module) else { return nil }
            loader.prepared.value[module] = checked
            return checked.copy
        }
    }
}

/// Where the files of modules come from: brings them up to date before they are loaded.
package protocol ModuleSource: Sendable {
    /// Builds those of the modules that are missing or stale.
    ///
    /// - Returns: Whether any file changed.
    /// - Throws: If one of them cannot be built.
    func freshen(_ modules: [CatalogEntry]) throws -> Bool
}

package struct NoSource: ModuleSource {
    package init() {}

    package func freshen(_ modules: [CatalogEntry]) -> Bool { false }
}

extension CatalogEntry {
    /// Whether the module is built from sources whose `module.json` declares something else than its file does.
    fileprivate var hasNewDeclaration: Bool {
        guard let source, isEnabled else { return false }
        let path = Path.join(source, ModuleDeclaration.fileName)
        // The catalog reports a declaration that cannot be read.
        guard let declared = try? ModuleDeclaration.load(path, shownAs: path) else { return false }
        return !(declaration.map(declared.agrees(withBuilt:)) ?? false)
    }

    /// Whether the module is kept out for crashes, and a build of its sources may be let in.
    fileprivate var mayBeMended: Bool { state == .quarantined }
}

extension ProviderError {
    /// The error as a container wants it: apart where no module provides the capability, except modules that
    /// are switched off.
    fileprivate var forContainer: any Error {
        guard case .missing(_, let unusable, _, _, _) = self, unusable.allSatisfy({ !$0.isEnabled })
        else { return self }
        return NotProvidedError(self)
    }
}

extension ProviderError: RewordableCause {
    package func reworded(_ words: String) -> any Error {
        let reworded: any Diagnosable = reworded(words)
        return reworded
    }
}
