// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesCatalog
import EavesManifest

// Changes of the manifest on the disk. No other process edits it meanwhile, a reader sees the old text or the
// new one, and this host goes on with the manifest that it was made with.
extension Host {
    /// Binds a service to a module, in the manifest, in one step. The next host uses the binding. It takes the
    /// place of weights, and ``rollback()`` brings them back.
    ///
    /// - Parameters:
    ///   - service: The name of the service's protocol, such as `UserService`, or `UserService#archive` for
    ///     the implementation that is asked for under the name `archive`.
    ///   - module: The id of the module that is to provide it.
    /// - Returns: The change; `nil` if the service was bound to that module already.
    /// - Throws: ``HostError`` if the module cannot provide the service, if a launch would not load its
    ///   file, or if the manifest cannot be written; then the manifest is unchanged.
    @discardableResult
    public func swap(_ service: String, to module: String) throws(HostError) -> HostSwap? {
        try HostError.wrapping {
            try BindingSwap(manifest: modules.manifest).swap(service, to: module).map(HostSwap.init)
        }
    }

    /// Undoes the last swap or removal that was not undone yet, in the manifest.
    ///
    /// - Returns: The change that was undone.
    /// - Throws: ``HostError`` if there is none, or if the manifest was changed since in a way that
    ///   contradicts it; then the manifest is unchanged.
    @discardableResult
    public func rollback() throws(HostError) -> HostRollback {
        try HostError.wrapping {
            try ManifestEditor.edit(manifestPath) { editor in
                let undo = try editor.undoLast()
                return HostRollback(change: .init(undo.change), wasUndone: undo.wasUndone)
            }
        }
    }

    /// Switches a module on or off, in the manifest. A module that is off provides nothing and is never
    /// loaded by the next host.
    ///
    /// - Parameters:
    ///   - id: The module's id.
    ///   - isEnabled: Whether it is to be on.
    /// - Returns: Whether that changed the manifest.
    /// - Throws: ``HostError`` if there is no such module, or the manifest cannot be written.
    @discardableResult
    public func setEnabled(_ id: String, _ isEnabled: Bool) throws(HostError) -> Bool {
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

/// A change of the module that a service is bound to.
public struct HostSwap: Hashable, Sendable {
    /// The service as the manifest has it, such as `UserService` or `UserService#archive`.
    public let service: String
    /// The module before; `nil` if the manifest had no binding for the service, or one with weights.
    public let from: String?
    /// The weights before, in words, such as `users-memory 90 %, users-v2 10 %, by user`; `nil` if the
    /// manifest had none.
    public let weightsBefore: String?
    /// The module after.
    public let to: String

    init(_ swap: Swap) {
        service = swap.service
        from = swap.from
        weightsBefore = swap.from == nil ? swap.wordsBefore : nil
        to = swap.to
    }
}

/// The result of undoing a change of a manifest.
public struct HostRollback: Hashable, Sendable {
    /// A change of a manifest that can be undone.
    public enum Change: Hashable, Sendable {
        /// A service was bound to another module.
        case swap(HostSwap)
        /// A module's entry was removed, and with it the bindings of these services, or its weights there.
        case removal(module: String, services: [String])

        init(_ change: ManifestChange) {
            switch change {
            case .swap(let swap): self = .swap(HostSwap(swap))
            case .removal(let removal):
                self = .removal(
                    module: removal.module,
                    services: removal.services + removal.shares.map(\.service))
            }
        }
    }

    /// The change that was undone.
    public let change: Change
    /// Whether the manifest was as before the change already, so that only the history changed.
    public let wasUndone: Bool
}
