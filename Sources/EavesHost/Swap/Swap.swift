// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

package import EavesCatalog
import EavesDeclaration
package import EavesDiagnostics
package import EavesManifest
import EavesRules

/// A change of the module that a service is bound to.
package struct Swap: Hashable, Sendable {
    package let service: String
    /// The module before; `nil` if the manifest had no binding for the service.
    package let from: String?
    /// The module after.
    package let to: String
}

/// Binds services to other implementations, and takes that back.
package struct BindingSwap: Sendable {
    private let manifest: Manifest
    private let history: SwapHistory

    package init(manifest: Manifest) {
        self.manifest = manifest
        history = SwapHistory(store: manifest.store)
    }

    /// Binds a service to a module, in the manifest, in one step.
    ///
    /// - Returns: The change; `nil` if the service was bound to that module already.
    /// - Throws: ``SwapError`` if the module cannot provide the service, or a launch would not load its file;
    ///   then the manifest is unchanged.
    package func swap(_ service: String, to module: String) throws -> Swap? {
        try check(service, module)
        let swap = Swap(service: service, from: manifest.binding(of: service), to: module)
        guard swap.from != swap.to else { return nil }
        var editor = try ManifestEditor(manifest.path)
        try editor.bind(service, to: module)
        try editor.save()
        try history.append(swap)
        return swap
    }

    /// Takes back the last swap that was not taken back yet.
    ///
    /// - Returns: The swap that was taken back.
    /// - Throws: ``SwapError`` if there is none, or the manifest was changed since.
    package func rollback() throws -> Swap {
        guard let swap = try history.last() else { throw SwapError.nothingToUndo }
        let found = manifest.binding(of: swap.service)
        guard found == swap.to else { throw SwapError.changedSince(swap, found: found) }
        var editor = try ManifestEditor(manifest.path)
        if let before = swap.from {
            try editor.bind(swap.service, to: before)
        } else {
            try editor.unbind(swap.service)
        }
        try editor.save()
        try history.removeLast()
        return swap
    }

    private func check(_ service: String, _ module: String) throws {
        let catalog = Catalog(manifest: manifest, profile: .current)
        let providers = catalog.entries.filter { $0.provides(service) }
        if let entry = catalog.entry(module), entry.declaration == nil, entry.problem != nil {
            // A module that cannot be read may well provide the service.
            throw SwapError.unusable(entry)
        }
        guard !providers.isEmpty else {
            let known = catalog.entries.flatMap { $0.declaration?.provides.map(\.service) ?? [] }
            throw SwapError.unknownService(service, known: known)
        }
        guard let entry = catalog.entry(module) else {
            throw SwapError.unknownModule(module, known: providers.map(\.id))
        }
        guard entry.provides(service) else {
            throw SwapError.notProvided(
                service: service, module: module, providers: providers.map(\.id))
        }
        // Not built yet: the next launch builds it. A file that is there and cannot be used stays as it is
        // if it was not built here.
        if case .notBuilt = entry.problem, entry.isAvailable { return }
        guard entry.state == .ready else { throw SwapError.unusable(entry) }
        let problems = InspectedModule(
            entry, among: catalog, in: manifest, host: .current
        ).launchDiagnostics
        guard problems.isEmpty else { throw SwapError.unloadable(problems) }
    }
}

extension CatalogEntry {
    fileprivate func provides(_ service: String) -> Bool {
        declaration?.provides(service) ?? false
    }
}

/// The reason why a binding was not changed.
package enum SwapError: Error, Sendable {
    case unknownService(String, known: [String])
    case unknownModule(String, known: [String])
    case notProvided(service: String, module: String, providers: [String])
    /// The module cannot be loaded, or is disabled.
    case unusable(CatalogEntry)
    /// A launch would refuse the module's file. Never empty.
    case unloadable([Diagnostic])
    case nothingToUndo
    /// The service is no longer bound to the module that the last swap bound it to.
    case changedSince(Swap, found: String?)
    /// The file of the history, at this path, is not what Eaves wrote.
    case damagedHistory(String)
}

extension SwapError: Diagnosable {
    package var diagnostics: [Diagnostic] {
        switch self {
        case .unusable(let entry) where entry.isEnabled: entry.diagnostics
        case .unloadable(let problems): problems
        default: [diagnostic]
        }
    }

    private var diagnostic: Diagnostic {
        switch self {
        case .unknownService(let service, let known):
            Diagnostic(
                "no module provides a service '\(service)'"
                    + NearMatch.suffix(for: service, among: known),
                fix: "see all services with 'eaves list'", code: .notFound)
        case .unknownModule(let module, let known):
            Diagnostic(
                "there is no module '\(module)'" + NearMatch.suffix(for: module, among: known),
                fix: "choose \(known.abridgedChoice())", code: .notFound)
        case .notProvided(let service, let module, let providers):
            Diagnostic(
                "module '\(module)' does not provide \(service)",
                fix: "choose \(providers.abridgedChoice())", code: .notFound)
        case .unloadable(let problems): problems[0]
        case .unusable(let entry):
            Diagnostic(
                "module '\(entry.id)' is disabled",
                fix: "'eaves enable \(entry.id)', and swap again", code: .noProvider)
        case .nothingToUndo:
            Diagnostic(
                "there is no swap to undo",
                fix: "bind a service with 'eaves swap SERVICE MODULE'", code: .notFound)
        case .changedSince(let swap, let found):
            Diagnostic(
                "\(swap.service): expected it bound to '\(swap.to)', as the last swap left it, "
                    + "found \(found.map { "'\($0)'" } ?? "no binding")",
                fix: swap.from.map { "choose with 'eaves swap \(swap.service) \($0)'" }
                    ?? "remove the binding from the manifest",
                code: .configuration)
        case .damagedHistory(let path):
            Diagnostic(
                "\(path): expected the history that eaves wrote, found something else",
                fix: "remove the file; the manifest stays as it is", code: .badData)
        }
    }
}
