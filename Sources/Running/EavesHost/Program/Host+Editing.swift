// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

package import EavesCatalog
import EavesDeclaration
package import EavesDiagnostics
public import EavesLife
public import EavesManifest
import EavesModules
import EavesRules

// Edits of the manifest on the disk. No other process edits it meanwhile, a reader sees the old text or the
// new one, and this host goes on with the manifest that it was made with.
extension Host {
    /// Binds a service to a module, in the manifest, in one step. The next host uses the binding. It takes the
    /// place of weights, and ``rollback(_:)`` brings them back.
    ///
    /// - Parameters:
    ///   - service: The name of the service's protocol, such as `UserService`, or `UserService#archive` for
    ///     the implementation that is asked for under the name `archive`.
    ///   - module: The id of the module that is to provide it.
    ///   - discardsState: Whether a running host may give up the state of the module that has the service now, if
    ///     this one cannot take it on. The manifest's entry of the module says so until the next swap to it.
    /// - Returns: The edit; `nil` if the service was bound to that module already.
    /// - Throws: ``HostError`` if the module cannot provide the service, if a launch would not load its
    ///   file, or if the manifest cannot be written; then the manifest is unchanged.
    @discardableResult
    public func swap(
        _ service: String, to module: String, discardingState discardsState: Bool = false
    ) throws(HostError) -> ManifestEdit? {
        try HostError.wrapping {
            try modules.manifest.swap(service, to: module, discardingState: discardsState)
        }
    }

    /// Lets a module have a share of a service's calls, in the manifest, in one step: a canary. In a host that stays up,
    /// each call draws; the module is judged, and rolled back by itself if it is bad. ``swap(_:to:)`` gives it all calls
    /// later, and ``rollback(_:)`` takes its share away.
    ///
    /// - Parameters:
    ///   - service: The name of the service's protocol, such as `UserService`.
    ///   - module: The id of the canary.
    ///   - share: The share of the calls, above 0 and below 0.5, such as 0.1. It is rounded to a millionth.
    /// - Returns: The edit; `nil` if the module had that share already.
    /// - Throws: ``HostError`` as ``swap(_:to:)`` does, or if no other module can keep the rest of the calls; then
    ///   the manifest is unchanged.
    @discardableResult
    public func swap(
        _ service: String, canary module: String, share: Double
    ) throws(HostError) -> ManifestEdit? {
        try HostError.wrapping {
            try modules.manifest.swap(service, to: module, canary: CanaryShare(share))
        }
    }

    /// Undoes the last swaps and removals that were not undone yet, in the manifest, in one step.
    ///
    /// - Parameter steps: How many, at least 1. ``history`` numbers them.
    /// - Returns: The edits that were undone, the newest one first.
    /// - Throws: ``HostError`` if there are fewer, or if the manifest was changed since in a way that
    ///   contradicts one of them; then the manifest is unchanged.
    @discardableResult
    public func rollback(_ steps: Int = 1) throws(HostError) -> [ManifestEdit] {
        precondition(steps >= 1, "a rollback has at least one step")
        return try HostError.wrapping {
            try ManifestEditor.edit(manifestPath) { try $0.undoLast(steps) }
        }
    }

    /// The edits of the manifest that ``rollback(_:)`` can undo, the newest one first, as the disk has them
    /// now: `rollback(3)` undoes the first three.
    ///
    /// - Throws: ``HostError`` if the history cannot be read.
    public var history: [ManifestEdit] {
        get throws(HostError) {
            try HostError.wrapping { try manifest.pastEdits() }
        }
    }

    /// Switches a module on, in the manifest. It is on if the manifest says nothing of that.
    ///
    /// - Parameter id: The module's id.
    /// - Returns: Whether that changed the manifest.
    /// - Throws: ``HostError`` if there is no such module, or the manifest cannot be written.
    @discardableResult
    public func enable(_ id: String) throws(HostError) -> Bool { try setEnabled(id, true) }

    /// Switches a module off, in the manifest. A module that is off provides nothing and is never loaded by the next
    /// host.
    ///
    /// - Parameter id: The module's id.
    /// - Returns: Whether that changed the manifest.
    /// - Throws: ``HostError`` if there is no such module, or the manifest cannot be written.
    @discardableResult
    public func disable(_ id: String) throws(HostError) -> Bool { try setEnabled(id, false) }

    private func setEnabled(_ id: String, _ isEnabled: Bool) throws(HostError) -> Bool {
        try HostError.wrapping {
            try ManifestEditor.edit(manifestPath) { editor in
                let catalog = Catalog(manifest: editor.manifest, profile: .current)
                guard catalog.entry(id) != nil else {
                    throw UnknownModuleError(id: id, known: catalog.entries.map(\.id))
                }
                try editor.setEnabled(id, isEnabled)
                return editor.isChanged
            }
        }
    }
}

extension Manifest {
    /// Binds a service to a module, in the manifest's file, in one step.
    ///
    /// - Parameter canary: The share of the calls that the module gets; `nil` for all.
    /// - Parameter discardsState: Whether a running host may give up the state of the module that has the service
    ///   now, if this one cannot take it on.
    /// - Returns: The edit; `nil` if the service was bound to that module already.
    /// - Throws: ``SwapError`` if the module cannot provide the service, or a launch would not load its file;
    ///   then the manifest is unchanged.
    func swap(
        _ service: String, to module: String, canary: CanaryShare? = nil,
        discardingState discardsState: Bool = false
    ) throws -> ManifestEdit? {
        try ManifestEditor.edit(path) { editor in
            let manifest = editor.manifest
            let catalog = Catalog(manifest: manifest, profile: .current)
            let key = BindingKey(text: service)
            let entry = try catalog.check(key, module)
            // A binding of the whole name goes before one of the word.
            let whole = BindingKey(catalog.services.canonical(key.service), name: key.name)
            let isWhole = manifest.binding(whole) != nil
            let bound = isWhole ? whole.text : service
            // A binding of the word alone, or of another whole name, may be about another service that has the word.
            let isExact =
                catalog.services.meanings(of: key.word.service).count > 1
                || key == key.word && !isWhole
            func change() throws -> ManifestEdit? {
                guard let canary else {
                    return try editor.swap(
                        bound, exactly: isExact, to: module, discardingState: discardsState)
                }
                let others = catalog.entries.filter { entry in
                    entry.id != module && entry.isEnabled
                        && entry.declaration?.answers(for: key) == true
                }
                return try editor.share(
                    bound, exactly: isExact, with: module, canary,
                    sole: others.count == 1 ? others[0].id : nil)
            }
            // Not built yet: the next launch builds it. A file that is there and cannot be used stays as it
            // is if it was not built here.
            switch entry.problem {
            case .notBuilt where entry.isAvailable, .interfaces where entry.isAvailable:
                return try change()
            default: break
            }
            guard entry.state == .ready else { throw SwapError.unusable(entry) }
            let problems = InspectedModule(
                entry, among: catalog, in: manifest, host: .current
            ).launchDiagnostics
            guard problems.isEmpty else { throw SwapError.unloadable(problems) }
            return try change()
        }
    }

    /// Checks that the modules exist that are to provide services in this run, and provide them.
    ///
    /// - Throws: ``SwapError`` for the first one that does not. A launch finds out whether they can be loaded.
    package func checkDemands() throws(SwapError) {
        if choices.demands.isEmpty { return }
        let catalog = Catalog(manifest: self, profile: .current)
        for demand in choices.demands {
            let entry = try catalog.check(demand.key, demand.module)
            if !entry.isEnabled { throw .unusable(entry) }
        }
    }
}

extension Catalog {
    /// The module, if a service can be bound to it.
    fileprivate func check(_ key: BindingKey, _ module: String) throws(SwapError) -> CatalogEntry {
        if let entry = entry(module), entry.declaration == nil, entry.problem != nil {
            // A module that cannot be read may well provide the service.
            throw .unusable(entry)
        }
        if let entry = entry(module), entry.declaration?.layer == .interface {
            throw .interface(module)
        }
        let meanings = services.meanings(of: key.service)
        if meanings.count > 1 {
            throw .ambiguousService(meanings.map { BindingKey($0, name: key.name) })
        }
        let providers = entries.filter { $0.declaration?.answers(for: key) ?? false }
        guard !providers.isEmpty else {
            throw .unknownService(
                key.service, known: entries.flatMap { $0.listedServices(services) })
        }
        guard let entry = entry(module) else {
            throw .unknownModule(module, known: providers.map(\.id))
        }
        guard providers.contains(where: { $0.id == module }) else {
            throw .notProvided(service: key.service, module: module, providers: providers.map(\.id))
        }
        return entry
    }
}

package enum SwapError: Error, Sendable {
    case unknownService(String, known: [String])
    case ambiguousService([BindingKey])
    case unknownModule(String, known: [String])
    case notProvided(service: String, module: String, providers: [String])
    /// The module cannot be loaded, or is disabled.
    case unusable(CatalogEntry)
    case interface(String)
    /// A launch would refuse the module's file. Never empty.
    case unloadable([Diagnostic])
}

extension SwapError: Diagnosable {
    package var diagnostics: [Diagnostic] {
        switch self {
        case .unusable(let entry) where entry.isEnabled: entry.diagnostics
        case .unloadable(let problems): problems
        default: [diagnostic]
        }
    }

    package var diagnostic: Diagnostic {
        switch self {
        case .unknownService(let service, let known):
            Diagnostic(
                "no module provides a service '\(service)'"
                    + NearMatch.suffix(for: service, among: known),
                fix: "see all services with 'eaves list'", code: .notFound)
        case .ambiguousService(let keys):
            Diagnostic(
                "\(keys[0].word.text) can mean \(keys.map(\.text).abridged(by: " and "))",
                fix: "name one with its Swift module: "
                    + keys.map(\.text).abridgedChoice(),
                code: .usage)
        case .unknownModule(let module, let known):
            Diagnostic(
                "there is no module '\(module)'" + NearMatch.suffix(for: module, among: known),
                fix: "choose \(known.abridgedChoice())", code: .notFound)
        case .notProvided(let service, let module, let providers):
            Diagnostic(
                "module '\(module)' does not provide \(service)",
                fix: "choose \(providers.abridgedChoice())", code: .notFound)
        case .interface(let module):
            Diagnostic(
                "module '\(module)' is an interface: it implements no service, and a program that has "
                    + "loaded it cannot exchange it",
                fix:
                    "to use another version, put its file into the place of this one, and start the "
                    + "programs again that use it", code: .configuration)
        case .unloadable(let problems): problems[0]
        case .unusable(let entry):
            Diagnostic(
                "module '\(entry.id)' is disabled",
                fix: "'eaves enable \(entry.id)', and try again", code: .noProvider)
        }
    }
}
