// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesCatalog
import EavesInterface
import EavesJSON
import EavesLoader
import EavesManifest
import EavesRegistry
import EavesRules
import EavesSystem
import Synchronization

/// Loads modules, each once and one at a time: check, copy, `dlopen`, register, compare, commit.
final class ModuleLoader: Sendable {
    /// Held while a module's code runs for the first time, whichever host loads it.
    private static let loading = Mutex(())

    private let manifest: Manifest
    private let trust: ModuleTrust
    private let replacements: Replacements
    private let copies: ShadowCopy
    private let observe: @Sendable (HostEvent) -> Void
    private let outcomes = Mutex(Outcomes())

    /// What became of the modules, by their ids.
    private struct Outcomes {
        var loaded: Set<String> = []
        var failed: [String: ModuleError] = [:]
    }

    init(
        manifest: Manifest, replacements: Replacements,
        observe: @escaping @Sendable (HostEvent) -> Void
    ) {
        self.manifest = manifest
        self.replacements = replacements
        self.observe = observe
        trust = ModuleTrust(manifest)
        copies = ShadowCopy(in: ShadowCopy.folder(in: manifest.store))
    }

    /// Loads a module, if that has not happened yet.
    ///
    /// - Parameters:
    ///   - entry: The module.
    ///   - catalog: All modules.
    ///   - container: Where its factories are to be registered.
    ///   - isChosen: Whether this module is the one to provide something.
    /// - Returns: Whether it was loaded now.
    /// - Throws: ``ModuleError``; nothing of the module is registered then, and trying again
    ///   throws the same.
    func load(
        _ entry: CatalogEntry, among catalog: Catalog, into container: Container,
        where isChosen: (Need) -> Bool
    ) throws(ModuleError) -> Bool {
        try outcomes.withLock { outcomes throws(ModuleError) in
            if outcomes.loaded.contains(entry.id) { return false }
            if let earlier = outcomes.failed[entry.id] { throw earlier }
            do throws(ModuleError) {
                try loadFirst(entry, among: catalog, into: container, where: isChosen)
                outcomes.loaded.insert(entry.id)
                return true
            } catch {
                outcomes.failed[entry.id] = error
                throw error
            }
        }
    }

    private func loadFirst(
        _ entry: CatalogEntry, among catalog: Catalog, into container: Container,
        where isChosen: (Need) -> Bool
    ) throws(ModuleError) {
        let start = ContinuousClock.now
        try entry.check {
            guard entry.problem == nil else { throw UnusableModule(entry: entry) }
            try trust.run(entry)
            let copy = try copies.make(of: entry.file, id: entry.id)
            try trust.run(entry, copied: copy)
            let inspected = InspectedModule(
                copy: copy.path, of: entry, among: catalog, in: manifest, host: .current)
            try inspected.checkBeforeLoading()
            let registrar = StagedRegistrar(
                module: entry.id,
                settings: Settings(entry.settings, directory: manifest.directory))
            observe(.loading(entry, file: copy.path))
            do throws(LoadFailure) {
                try Self.loading.withLock { _ throws(LoadFailure) in
                    try Loader.load(copy.path, registrar: registrar) { [observe] message in
                        observe(.logged(entry, message))
                    }
                }
            } catch {
                throw inspected.explanation(of: error) ?? error
            }
            if let declaration = entry.declaration {
                try DeclarationCheck.run(registrar.registrations, against: declaration)
            }
            try replacements.commit(registrar, to: container) { isChosen(Need($0.request)) }
        }
        observe(.loaded(entry, ContinuousClock.now - start))
    }
}

extension CatalogEntry {
    /// Runs a step and names the module in whatever it throws.
    fileprivate func check(_ step: () throws -> Void) throws(ModuleError) {
        do {
            try step()
        } catch {
            throw ModuleError(self, error)
        }
    }
}
