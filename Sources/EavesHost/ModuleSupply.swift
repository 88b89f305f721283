// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesCatalog
import EavesDiagnostics
package import EavesManifest
package import EavesRegistry
import Synchronization

/// Brings modules into a container when something of them is needed.
package final class ModuleSupply: Sendable {
    private let manifest: Manifest
    private let source: any ModuleSource
    private let loader: ModuleLoader
    private let known = Mutex<Choices?>(nil)
    private let observe: @Sendable (HostEvent) -> Void
    /// The services all of whose modules are loaded.
    private let complete = Mutex<Set<String>>([])

    /// Looks at no module yet.
    ///
    /// - Parameters:
    ///   - manifest: Where the modules are.
    ///   - source: Brings modules' files up to date before they are loaded.
    ///   - observe: Is told what is loaded, on the thread that loads.
    package init(
        manifest: Manifest, source: any ModuleSource,
        observe: @escaping @Sendable (HostEvent) -> Void
    ) {
        self.manifest = manifest
        self.source = source
        loader = ModuleLoader(manifest: manifest, observe: observe)
        self.observe = observe
    }

    /// What is known of the modules. At first only of those that are asked for, if that will do.
    private var choices: Choices {
        var faults: [Diagnostic] = []
        let choices = known.withLock { known in
            if let known { return known }
            let made = Choices(narrow: manifest) ?? Choices(manifest: manifest)
            known = made
            faults = made.catalog.quarantineFaults
            return made
        }
        faults.forEach { observe(.warned($0)) }
        return choices
    }

    /// What is known of all modules.
    private var wholeChoices: Choices {
        let choices = self.choices
        return choices.catalog.isNarrow ? rescan() : choices
    }

    /// Decides by what is known of the modules that are asked for. Where that does not do, or one of
    /// them has changed, all modules are looked at.
    private func deciding<Outcome>(_ decide: (Choices) throws -> Outcome) throws -> Outcome {
        let choices = self.choices
        guard choices.catalog.isNarrow else { return try decide(choices) }
        if let outcome = try? decide(choices), !choices.catalog.isOutdated { return outcome }
        return try decide(rescan())
    }

    /// What launching a feature needs, with all modules that are built from source up to date.
    ///
    /// - Parameter isOwn: Whether the host itself provides something, so that no module has to.
    func plan(for feature: String, unless isOwn: @escaping (Need) -> Bool) throws -> Plan {
        let plan = try planFromDeclarations(for: feature, unless: isOwn)
        guard try source.freshen(plan.modules) else { return plan }
        return try Plan(launching: feature, rescan(), unless: isOwn)
    }

    /// A source may by now offer what its built module does not. A module that does not build harms
    /// no other: it is told of only when the feature is not found without it.
    private func planFromDeclarations(
        for feature: String, unless isOwn: @escaping (Need) -> Bool
    ) throws -> Plan {
        var obstacles: [Diagnostic] = []
        do {
            return try deciding { try Plan(launching: feature, $0, unless: isOwn) }
        } catch {
            let renewed = wholeChoices.catalog.entries.filter(\.hasNewDeclaration)
            switch Result(catching: { try source.freshen(renewed) }) {
            case .success(false): throw error
            case .success(true): break
            case .failure(let failure as any Diagnosable): obstacles = failure.diagnostics
            case .failure(let failure): throw failure
            }
        }
        do {
            return try Plan(launching: feature, rescan(), unless: isOwn)
        } catch {
            throw PlanError(problems: error.problems, obstacles: obstacles)
        }
    }

    /// Loads the module that provides what is asked for.
    ///
    /// - Returns: Whether one was loaded now.
    package func provide(_ need: Need, in container: Container) throws -> Bool {
        guard let entry = try deciding({ try $0.provider(of: need) }) else { return false }
        guard try source.freshen([entry]) else { return try load(entry, into: container) }
        guard let fresh = try rescan().provider(of: need) else { return false }
        return try load(fresh, into: container)
    }

    /// Loads every module that provides a service, chosen or not.
    ///
    /// - Throws: What the first one throws that cannot be loaded; those before it are loaded.
    func provideAll(_ service: String, in container: Container) throws {
        if complete.withLock({ $0.contains(service) }) { return }
        var entries = try deciding { $0.providers(ofAll: service) }
        if try source.freshen(entries) { entries = rescan().providers(ofAll: service) }
        for entry in entries { try load(entry, into: container) }
        _ = complete.withLock { $0.insert(service) }
    }

    /// Loads a module, if that has not happened yet.
    ///
    /// - Returns: Whether it was loaded now.
    @discardableResult
    func load(_ entry: CatalogEntry, into container: Container) throws(ModuleError) -> Bool {
        try loader.load(entry, among: choices.catalog, into: container) { isChosen(entry, for: $0) }
    }

    /// Whether a module is the one to provide this, out of all that could.
    private func isChosen(_ entry: CatalogEntry, for need: Need) -> Bool {
        // Who cannot be chosen now is not the chosen one; whoever asks for the need is told why.
        guard let chosen = try? deciding({ try $0.provider(of: need) }) else { return false }
        return chosen.id == entry.id
    }

    /// What is wrong with the manifest and what its modules declare.
    func validate() -> [HostProblem] {
        ManifestValidation(wholeChoices, manifest: manifest).problems
    }

    /// Whether there is a module to load for a need, or the host itself provides it.
    func canProvide(_ need: Need) -> Bool {
        do throws(PlanProblem) {
            _ = try wholeChoices.provider(of: need)
            return true
        } catch {
            // Why not is among the problems of what is declared.
            return false
        }
    }

    /// Loads every module that can be had.
    ///
    /// - Returns: Why those could not be loaded that could not, in the order of their ids.
    func loadAll(into container: Container) throws -> [ModuleError] {
        var entries = wholeChoices.catalog.entries.filter(\.isAvailable)
        if try source.freshen(entries) { entries = rescan().catalog.entries.filter(\.isAvailable) }
        return entries.compactMap { entry in
            do throws(ModuleError) {
                try load(entry, into: container)
                return nil
            } catch {
                return error
            }
        }
    }

    private func rescan() -> Choices {
        let choices = Choices(manifest: manifest)
        known.withLock { $0 = choices }
        complete.withLock { $0 = [] }
        return choices
    }
}
