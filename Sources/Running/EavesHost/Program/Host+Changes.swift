// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesCatalog
import EavesManifest

// Changes of the manifest on the disk. No other process edits it meanwhile, a reader sees the old text or the
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
    /// - Returns: The change; `nil` if the service was bound to that module already.
    /// - Throws: ``HostError`` if the module cannot provide the service, if a launch would not load its
    ///   file, or if the manifest cannot be written; then the manifest is unchanged.
    @discardableResult
    public func swap(
        _ service: String, to module: String, discardingState discardsState: Bool = false
    ) throws(HostError) -> HostSwap? {
        try HostError.wrapping {
            try BindingSwap(manifest: modules.manifest)
                .swap(service, to: module, discardingState: discardsState).map(HostSwap.init)
        }
    }

    /// Lets a module have a share of a service's calls, in the manifest, in one step: a canary. In a host that stays up,
    /// each call draws; the module is judged, and rolled back by itself if it is bad. ``swap(_:to:)`` gives it all calls
    /// later, and ``rollback(_:)`` takes its share away.
    ///
    /// - Parameters:
    ///   - service: The name of the service's protocol, such as `UserService`.
    ///   - module: The id of the canary.
    ///   - share: The share, above 0 % and below 50 %, such as `10%` or `0.5%`.
    /// - Returns: The change; `nil` if the module had that share already.
    /// - Throws: ``HostError`` as ``swap(_:to:)`` does, or if no other module can keep the rest of the calls; then
    ///   the manifest is unchanged.
    @discardableResult
    public func swap(
        _ service: String, canary module: String, share: String
    ) throws(HostError) -> HostSwap? {
        try HostError.wrapping {
            try BindingSwap(manifest: modules.manifest)
                .swap(service, to: module, canary: CanaryShare(share)).map(HostSwap.init)
        }
    }

    /// Undoes the last swaps and removals that were not undone yet, in the manifest, in one step.
    ///
    /// - Parameter steps: How many, at least 1. ``history`` numbers them.
    /// - Returns: The changes that were undone, the newest one first.
    /// - Throws: ``HostError`` if there are fewer, or if the manifest was changed since in a way that
    ///   contradicts one of them; then the manifest is unchanged.
    @discardableResult
    public func rollback(_ steps: Int = 1) throws(HostError) -> [HostRollback] {
        precondition(steps >= 1, "a rollback has at least one step")
        return try HostError.wrapping {
            try ManifestEditor.edit(manifestPath) { editor in
                try editor.undoLast(steps).map { undo in
                    HostRollback(change: .init(undo.change), wasUndone: undo.wasUndone)
                }
            }
        }
    }

    /// The changes of the manifest that ``rollback(_:)`` can undo, the newest one first, as the disk has them
    /// now: `rollback(3)` undoes the first three.
    ///
    /// - Throws: ``HostError`` if the history cannot be read.
    public var history: [HostPastChange] {
        get throws(HostError) {
            try HostError.wrapping {
                try manifest.pastChanges().map { past in
                    HostPastChange(change: .init(past.change), time: past.time)
                }
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
    /// The module after: the canary, if modules share the service after the change.
    public let to: String
    /// The weights after, in words; `nil` if the service is bound to one module.
    public let weightsAfter: String?
    /// The reason why a host made the change by itself; `nil` if somebody made it.
    public let reason: String?

    init(_ swap: Swap) {
        weightsAfter = swap.sharesAfter
        reason = swap.reason
        service = swap.service
        from = swap.from
        weightsBefore = swap.from == nil ? swap.wordsBefore : nil
        to = swap.to
    }
}

/// A change of a manifest that can be undone.
public struct HostPastChange: Hashable, Sendable {
    /// The change.
    public let change: HostRollback.Change
    /// When it was made, in seconds since 1970; `nil` for a change that an earlier version of Eaves made.
    public let time: Int?
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
