// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesDeclaration
import EavesCatalog
package import EavesManifest

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
    /// - Returns: What was done; `nil` if the service was bound to that module already.
    /// - Throws: ``SwapError`` if the module cannot provide the service; the manifest is then as it
    ///   was.
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

    /// Undoes the last swap that was not undone yet.
    ///
    /// - Returns: What was undone.
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
            // What cannot be read may well provide it.
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
        guard entry.isAvailable else { throw SwapError.unusable(entry) }
    }
}

extension CatalogEntry {
    fileprivate func provides(_ service: String) -> Bool {
        declaration?.provides(service) ?? false
    }
}
