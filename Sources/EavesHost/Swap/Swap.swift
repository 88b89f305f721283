// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

package import EavesCatalog
import EavesDeclaration
package import EavesDiagnostics
package import EavesManifest
import EavesRules

/// Binds services to other implementations.
package struct BindingSwap: Sendable {
    /// The manifest's file.
    private let path: String

    package init(manifest: Manifest) {
        path = manifest.path
    }

    /// Binds a service to a module, in the manifest, in one step.
    ///
    /// - Returns: The change; `nil` if the service was bound to that module already.
    /// - Throws: ``SwapError`` if the module cannot provide the service, or a launch would not load its file;
    ///   then the manifest is unchanged.
    package func swap(_ service: String, to module: String) throws -> Swap? {
        try ManifestEditor.edit(path) { editor in
            try check(service, module, in: editor.manifest)
            return try editor.swap(service, to: module)
        }
    }

    private func check(_ service: String, _ module: String, in manifest: Manifest) throws {
        let catalog = Catalog(manifest: manifest, profile: .current)
        let providers = catalog.entries.filter { $0.provides(service) }
        if let entry = catalog.entry(module), entry.declaration == nil, entry.problem != nil {
            // A module that cannot be read may well provide the service.
            throw SwapError.unusable(entry)
        }
        if let entry = catalog.entry(module), entry.declaration?.layer == .interface {
            throw SwapError.interface(module)
        }
        guard !providers.isEmpty else {
            let known = catalog.entries.flatMap(\.listedServices)
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
        switch entry.problem {
        case .notBuilt where entry.isAvailable, .interfaces where entry.isAvailable: return
        default: break
        }
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
    /// The module is an interface module, which implements nothing.
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
                fix: "'eaves enable \(entry.id)', and swap again", code: .noProvider)
        }
    }
}
