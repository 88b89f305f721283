// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesCatalog
import EavesDeclaration
import EavesInterface
import EavesLoader
import EavesRegistry
import EavesSystem
import Synchronization

/// Loads modules, each once and one at a time, and makes what they register visible.
///
/// Safe from any thread.
final class ModuleLoader: Sendable {
    private let observe: @Sendable (LoadEvent) -> Void
    private let outcomes = Mutex(LoadOutcomes())

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
    /// - Returns: Whether this call loaded it.
    /// - Throws: ``ModuleError``; then nothing of the module is registered, and trying again throws the
    ///   same error.
    func load(
        _ entry: CatalogEntry, by outlook: () -> Outlook, into container: Container,
        alsoNamed names: (ServiceRequest) -> [String], where isChosen: (Capability) -> Bool
    ) throws(ModuleError) -> Bool {
        try outcomes.withLock { outcomes throws(ModuleError) in
            if outcomes.loaded[entry.id] != nil { return false }
            guard entry.problem == nil else {
                throw ModuleError(entry, UnusableModuleError(entry: entry))
            }
            let maker = maker(outlook())
            try outcomes.bringInInterfaces(of: entry, maker)
            return try outcomes.once(entry) { outcomes throws(ModuleError) in
                if entry.declaration?.layer == .interface {
                    try maker.bringIn(entry)
                    return nil
                }
                let checked = try maker.check(entry)
                let generation = try maker.make(
                    checked, reusing: outcomes.code(of: checked),
                    keeping: { outcomes.keep($0, of: entry.id) })
                try ModuleError.naming(entry) {
                    try generation.registrar.commit(
                        to: container, where: { isChosen(Capability($0.request)) },
                        alsoNamed: names)
                }
                maker.tell(generation)
                return generation.code
            }
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

    /// Makes generations by an outlook.
    func maker(_ outlook: Outlook, inMemory: Bool = false) -> GenerationMaker {
        GenerationMaker(outlook: outlook, isInMemory: inMemory, observe: observe)
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
    }

    var loaded: [String: Loaded] = [:]
    var failed: [String: ModuleError] = [:]
    /// All code of each module that the host has ever loaded, oldest first: it stays in the process.
    private var codes: [String: [LoadedCode]] = [:]

    /// Loads a module that is not loaded yet, and remembers the result.
    ///
    /// - Parameter load: Returns the code; `nil` for an interface module.
    /// - Returns: Whether this call loaded it.
    mutating func once(
        _ entry: CatalogEntry, _ load: (inout LoadOutcomes) throws(ModuleError) -> LoadedCode?
    ) throws(ModuleError) -> Bool {
        if loaded[entry.id] != nil { return false }
        if let earlier = failed[entry.id] { throw earlier }
        do throws(ModuleError) {
            take(try load(&self), as: entry)
            return true
        } catch {
            failed[entry.id] = error
            throw error
        }
    }

    /// Makes the interfaces that a module names part of the process.
    mutating func bringInInterfaces(
        of entry: CatalogEntry, _ maker: GenerationMaker
    ) throws(ModuleError) {
        for interface in maker.outlook.catalog.interfaces(of: [entry]) {
            _ = try once(interface) { _ throws(ModuleError) in
                try maker.bringIn(interface)
                return nil
            }
        }
    }

    /// Notes what a module is loaded as from now on.
    ///
    /// - Parameter code: Its code; `nil` for an interface module.
    mutating func take(_ code: LoadedCode?, as entry: CatalogEntry) {
        loaded[entry.id] = Loaded(entry: entry, code: code)
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
