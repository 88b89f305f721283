// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesCatalog
public import EavesLife
public import EavesManifest
import EavesModules

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
            try BindingSwap(manifest: modules.manifest)
                .swap(service, to: module, discardingState: discardsState)
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
            try BindingSwap(manifest: modules.manifest)
                .swap(service, to: module, canary: CanaryShare(share))
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
