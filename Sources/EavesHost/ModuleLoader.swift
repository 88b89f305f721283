// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesCatalog
import EavesDeclaration
import EavesInterface
import EavesLoader
import EavesManifest
import EavesRegistry
import EavesRules
import EavesSystem
import EavesTrust
import Synchronization

/// Loads modules, each once and one at a time: check, copy, `dlopen`, register, compare, commit.
///
/// Safe from any thread.
final class ModuleLoader: Sendable {
    /// Held while a module's code runs for the first time, whichever host loads it.
    private static let loading = Mutex(())

    private let manifest: Manifest
    private let copies: ShadowCopy
    private let observe: @Sendable (LoadEvent) -> Void
    private let outcomes = Mutex(Outcomes())

    /// The results of loading, by the modules' ids.
    private struct Outcomes {
        var loaded: Set<String> = []
        var failed: [String: ModuleError] = [:]
    }

    init(manifest: Manifest, observe: @escaping @Sendable (LoadEvent) -> Void) {
        self.manifest = manifest
        self.observe = observe
        copies = ShadowCopy(in: manifest.store)
    }

    /// Loads a module unless it is loaded already.
    ///
    /// - Parameters:
    ///   - entry: The module.
    ///   - catalog: All modules.
    ///   - container: Where its factories are registered.
    ///   - isChosen: Whether this module is the one that provides a capability.
    /// - Returns: Whether this call loaded it.
    /// - Throws: ``ModuleError``; then nothing of the module is registered, and trying again throws the
    ///   same error.
    func load(
        _ entry: CatalogEntry, among catalog: Catalog, into container: Container,
        where isChosen: (Capability) -> Bool
    ) throws(ModuleError) -> Bool {
        try outcomes.withLock { outcomes throws(ModuleError) in
            if outcomes.loaded.contains(entry.id) { return false }
            guard entry.problem == nil else {
                throw ModuleError(entry, UnusableModuleError(entry: entry))
            }
            try loadInterfaces(of: entry, among: catalog, &outcomes)
            return try once(entry, &outcomes) { () throws(ModuleError) in
                if entry.declaration?.layer == .interface {
                    try loadInterface(entry, among: catalog)
                } else {
                    try loadFirst(entry, among: catalog, into: container, where: isChosen)
                }
            }
        }
    }

    /// Makes the interfaces that a module names part of the process, and does not load the module.
    func loadInterfaces(of entry: CatalogEntry, among catalog: Catalog) throws(ModuleError) {
        try outcomes.withLock { outcomes throws(ModuleError) in
            try loadInterfaces(of: entry, among: catalog, &outcomes)
        }
    }

    private func loadInterfaces(
        of entry: CatalogEntry, among catalog: Catalog, _ outcomes: inout Outcomes
    ) throws(ModuleError) {
        for interface in catalog.interfaces(of: [entry]) {
            _ = try once(interface, &outcomes) { () throws(ModuleError) in
                try loadInterface(interface, among: catalog)
            }
        }
    }

    /// Loads a module that is not loaded yet, and remembers the result.
    ///
    /// - Returns: Whether this call loaded it.
    private func once(
        _ entry: CatalogEntry, _ outcomes: inout Outcomes, _ load: () throws(ModuleError) -> Void
    ) throws(ModuleError) -> Bool {
        if outcomes.loaded.contains(entry.id) { return false }
        if let earlier = outcomes.failed[entry.id] { throw earlier }
        do throws(ModuleError) {
            try load()
            outcomes.loaded.insert(entry.id)
            return true
        } catch {
            outcomes.failed[entry.id] = error
            throw error
        }
    }

    /// Makes an interface module part of the process, unless the program has it linked in.
    private func loadInterface(
        _ entry: CatalogEntry, among catalog: Catalog
    ) throws(ModuleError) {
        let start = ContinuousClock.now
        var isLoaded = false
        try ModuleError.naming(entry) {
            let copy = try checkedCopy(of: entry, among: catalog)
            isLoaded = try InterfaceLoader.bringIn(copy.inspected) {
                observe(.loading(entry, file: copy.file, copy: copy.path))
                try Self.loading.withLock { _ throws(LoadError) in
                    try Loader.openInterface(copy.file)
                }
            }
            rememberVersion(copy.inspected)
        }
        if isLoaded { observe(.loaded(entry, ContinuousClock.now - start)) }
    }

    /// Everything that happens between choosing a module and its first service.
    private func loadFirst(
        _ entry: CatalogEntry, among catalog: Catalog, into container: Container,
        where isChosen: (Capability) -> Bool
    ) throws(ModuleError) {
        let start = ContinuousClock.now
        try ModuleError.naming(entry) {
            let copy = try checkedCopy(of: entry, among: catalog)
            let registrar = StagedRegistrar(
                module: entry.id,
                settings: Settings(entry.settings, directory: manifest.directory))
            observe(.loading(entry, file: copy.file, copy: copy.path))
            do throws(LoadError) {
                try Self.loading.withLock { _ throws(LoadError) in
                    try Loader.load(
                        copy.file, registrar: registrar,
                        settings: { registrar.settingsText(entry.settings) }
                    ) { [observe] message in
                        observe(.logged(entry.id, message))
                    }
                }
            } catch {
                throw copy.inspected.explanation(of: error) ?? error
            }
            if let declaration = entry.declaration {
                try RegistrationCheck.run(registrar.registrations, against: declaration)
            }
            try registrar.commit(to: container) { isChosen(Capability($0.request)) }
            if !entry.settings.isEmpty, !registrar.hasReadSettings {
                observe(.warned(entry.ignoredSettings(in: manifest)))
            }
            rememberVersion(copy.inspected)
        }
        observe(.loaded(entry, ContinuousClock.now - start))
    }

    /// A private copy whose bytes keep every rule.
    private struct CheckedCopy {
        /// The path that the dynamic linker gets.
        let file: String
        /// The path on the disk.
        let path: String
        let inspected: InspectedModule
    }

    private func checkedCopy(
        of entry: CatalogEntry, among catalog: Catalog
    ) throws -> CheckedCopy {
        guard entry.problem == nil else { throw UnusableModuleError(entry: entry) }
        let copy = try privateCopy(of: entry)
        let inspected = InspectedModule(
            copy: copy.ownPath, of: entry, among: catalog, in: manifest, host: .current)
        do {
            try inspected.checkBeforeLoading()
        } catch {
            copies.discard(copy)
            throw error
        }
        copy.keep()
        return CheckedCopy(file: copy.ownPath, path: copy.path, inspected: inspected)
    }

    private func rememberVersion(_ inspected: InspectedModule) {
        do throws(VersionError) {
            try inspected.rememberVersion()
        } catch {
            let entry = inspected.entry
            error.diagnostics.forEach { observe(.warned($0.naming(entry.id, entry.path))) }
        }
    }

    /// Makes the private copy that is loaded, and checks once more who can change the module: the catalog
    /// has checked that before, and meanwhile the answer may be another one.
    private func privateCopy(of entry: CatalogEntry) throws -> PrivateCopy {
        do {
            return try copies.make(of: entry.file, id: entry.id, manifest.trust)
        } catch let error as TrustError {
            throw UnusableModuleError(entry, .untrusted(error))
        } catch StoreError.untrusted(let error) {
            throw UnusableModuleError(entry, .untrusted(error))
        }
    }
}
