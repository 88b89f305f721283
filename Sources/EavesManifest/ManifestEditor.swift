// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

internal import EavesJSON
internal import EavesSystem

/// Edits a manifest: ``edit(_:patience:_:)`` loads it, changes it and saves it while no other process
/// edits it.
///
/// The unchanged parts stay as they are, byte for byte. A change that would make the manifest
/// invalid is refused at once; the changes before it stay.
package struct ManifestEditor: Sendable {
    /// The manifest with all changes so far.
    package private(set) var manifest: Manifest
    private let path: String
    private var saved: [UInt8]
    private var text: JSONEditor
    /// The changes to keep in the history, or to take out of it, together with the next save.
    private var history = HistoryUpdate.none

    /// Loads a manifest, to try changes of its text. Only ``edit(_:patience:_:)`` can save them.
    package init(_ path: String) throws(ManifestError) {
        self.path = path
        saved = try Manifest.read(path)
        manifest = try Manifest(path: path, bytes: saved)
        do {
            text = try JSONEditor(saved)
        } catch {
            throw ManifestError(path, [ManifestProblem(.syntax(error), at: error.position)])
        }
    }

    /// Whether there are changes for ``edit(_:patience:_:)`` to write.
    package var isChanged: Bool { text.bytes != saved }

    /// The text with all changes so far.
    package var bytes: [UInt8] { text.bytes }

    /// Binds a service to a module.
    package mutating func bind(
        _ service: String, to module: String
    ) throws(ManifestError) {
        try change { text throws(JSONSyntaxError) in
            try text.set([.bindings, service], to: .string(module))
        }
    }

    /// Removes the binding of a service, if there is one.
    package mutating func unbind(_ service: String) throws(ManifestError) {
        try change { text throws(JSONSyntaxError) in
            try text.remove([.bindings, service])
        }
    }

    /// Enables or disables a module. A module without an entry is enabled, and gets an entry when
    /// it is disabled.
    package mutating func setEnabled(_ id: String, _ isEnabled: Bool) throws(ManifestError) {
        guard (manifest.entry(id)?.isEnabled ?? true) != isEnabled else { return }
        try change { text throws(JSONSyntaxError) in
            try text.set([.modules, id, .enabled], to: .bool(isEnabled))
        }
    }

    /// Adds a module, or changes the file of its entry. The other keys of the entry stay.
    ///
    /// - Parameter sha256: The digest that the file must have. Without one, the old digest, which
    ///   was that of another file, is removed.
    package mutating func add(
        _ id: String, library: String, sha256: String? = nil
    ) throws(ManifestError) {
        try change { text throws(JSONSyntaxError) in
            try text.set([.modules, id, .library], to: .string(library))
            if let sha256 {
                try text.set([.modules, id, .sha256], to: .string(sha256))
            } else {
                try text.remove([.modules, id, .sha256])
            }
        }
    }

    /// Pins a module to a digest, or removes the pin. A module without an entry gets one. An entry
    /// that has no other keys is removed with the pin.
    package mutating func pin(_ id: String, to sha256: String?) throws(ManifestError) {
        guard manifest.entry(id)?.sha256 != sha256 else { return }
        try change { text throws(JSONSyntaxError) in
            if let sha256 {
                try text.set([.modules, id, .sha256], to: .string(sha256))
            } else {
                try text.remove([.modules, id, .sha256])
                let entry = try JSONNode.parse(text.bytes)[.modules]?[id]
                if entry?.members?.isEmpty == true { try text.remove([.modules, id]) }
            }
        }
    }

    /// Binds a service to a module, as ``bind(_:to:)`` does, so that ``undoLast()`` can undo it.
    ///
    /// - Returns: The change; `nil` if the service was bound to that module already.
    package mutating func swap(
        _ service: String, to module: String
    ) throws(ManifestError) -> Swap? {
        let swap = Swap(service: service, from: manifest.binding(of: service), to: module)
        guard swap.from != swap.to else { return nil }
        try bind(service, to: module)
        history = .append(.swap(swap))
        return swap
    }

    /// Removes a module's entry and the bindings to it, so that ``undoLast()`` can undo it.
    ///
    /// - Returns: The removed parts; `nil` if there are none.
    @discardableResult
    package mutating func remove(_ id: String) throws(ManifestError) -> Removal? {
        let entry = text.text(at: [.modules, id])
        let services = manifest.bindings.filter { $0.module == id }.map(\.service)
        guard entry != nil || !services.isEmpty else { return nil }
        try change { text throws(JSONSyntaxError) in
            try text.remove([.modules, id])
            for service in services { try text.remove([.bindings, service]) }
        }
        let removal = Removal(
            module: id, entry: entry.map { String(decoding: $0, as: UTF8.self) },
            services: services)
        history = .append(.removal(removal))
        return removal
    }

    /// Undoes the last swap or removal of this manifest that was not undone yet.
    ///
    /// - Returns: The change that was undone.
    /// - Throws: ``HistoryError`` if there is none, or if the manifest is neither as the change left
    ///   it nor as it was before the change.
    package mutating func undoLast() throws -> Undo {
        guard let last = try manifest.history.last() else { throw HistoryError.nothingToUndo }
        history = .removeLast
        // By hand; or the command that made the change was killed before it wrote the manifest.
        if isUndone(last) { return Undo(change: last, wasUndone: true) }
        if let found = difference(from: last) {
            throw HistoryError.changedSince(last, found, history: manifest.history.path)
        }
        switch last {
        case .swap(let swap):
            if let before = swap.from {
                try bind(swap.service, to: before)
            } else {
                try unbind(swap.service)
            }
        case .removal(let removal):
            try change { text throws(JSONSyntaxError) in
                if let entry = removal.entry {
                    try text.set([.modules, removal.module], toText: Array(entry.utf8))
                }
                for service in removal.services {
                    try text.set([.bindings, service], to: .string(removal.module))
                }
            }
        }
        return Undo(change: last, wasUndone: false)
    }

    /// Whether the manifest is as it was before a change.
    private func isUndone(_ change: ManifestChange) -> Bool {
        switch change {
        case .swap(let swap):
            return manifest.binding(of: swap.service) == swap.from
        case .removal(let removal):
            let entry = text.text(at: [.modules, removal.module])
            return entry.map { String(decoding: $0, as: UTF8.self) } == removal.entry
                && removal.services.allSatisfy { manifest.binding(of: $0) == removal.module }
        }
    }

    /// The first place that is not as a change left it; `nil` if all are.
    private func difference(from change: ManifestChange) -> HistoryDifference? {
        switch change {
        case .swap(let swap):
            let found = manifest.binding(of: swap.service)
            return found == swap.to ? nil : .binding(swap.service, found)
        case .removal(let removal):
            if manifest.entry(removal.module) != nil { return .entry }
            for service in removal.services {
                if let found = manifest.binding(of: service) { return .binding(service, found) }
            }
            return nil
        }
    }

    private mutating func change(
        _ body: (inout JSONEditor) throws(JSONSyntaxError) -> Void
    ) throws(ManifestError) {
        var changed = text
        do throws(JSONSyntaxError) {
            try body(&changed)
        } catch {
            throw ManifestError(path, [ManifestProblem(.syntax(error))])
        }
        do throws(ManifestError) {
            manifest = try Manifest(path: path, bytes: changed.bytes)
        } catch {
            // The places are those of a text that is not saved, so they would mislead.
            let problems = error.problems.map { ManifestProblem($0.kind, keys: $0.keys) }
            throw ManifestError(path, problems)
        }
        text = changed
    }
}

extension ManifestEditor {
    /// Edits a manifest: loads it, has `body` change it, and saves it. No other process can edit it
    /// meanwhile in this way, so no edit is lost.
    ///
    /// - Parameters:
    ///   - patience: How long to wait while another process edits it.
    ///   - body: Gets the manifest as it is now. If it throws, nothing is written.
    /// - Returns: The result of `body`, once the change is on the disk.
    /// - Throws: ``ManifestError`` if the manifest cannot be read, locked or written. It then stays
    ///   as it is. ``HistoryError`` if the history of changes cannot be read or written. The errors
    ///   of `body`.
    @discardableResult
    package static func edit<Result>(
        _ path: String, patience: Duration = .seconds(10),
        _ body: (inout ManifestEditor) throws -> Result
    ) throws -> Result {
        // A missing or unreadable manifest is reported as such, and not its folder.
        _ = try Manifest.read(path)
        // The folder is locked, and not the file, which is replaced by another one.
        let folder = Path.parent(of: Files.resolved(path) ?? path)
        let taken = {
            let holder = LockHolder(of: folder)
            return ManifestError(
                path, [ManifestProblem(.locked(folder: folder, by: holder, after: patience))])
        }
        return try FileLock.holding(folder, within: patience, orThrow: taken) {
            var editor = try ManifestEditor(path)
            let result = try body(&editor)
            try editor.commit()
            return result
        }
    }

    /// Saves the manifest and its history. A process that is killed between the two leaves a change
    /// in the history that the manifest does not have, and ``undoLast()`` sees that.
    private mutating func commit() throws {
        switch history {
        case .none:
            try save()
        case .append(let change):
            try manifest.history.append(change)
            do {
                try save()
            } catch {
                try? manifest.history.removeLast()
                throw error
            }
        case .removeLast:
            try save()
            try manifest.history.removeLast()
        }
        history = .none
    }

    /// Writes the changes in one step: readers see the old text or the new, never a part. Does not
    /// touch the file if there are no changes. Writes the target of a symbolic link.
    ///
    /// - Throws: ``ManifestError``, also if the file has changed since it was loaded, by an editor
    ///   that takes no lock. It then stays as it is.
    mutating func save() throws(ManifestError) {
        guard isChanged else { return }
        guard try Manifest.read(path) == saved else {
            throw ManifestError(path, [ManifestProblem(.changedMeanwhile)])
        }
        do {
            try Files.replace(path, with: text.bytes)
        } catch {
            throw ManifestError(path, [ManifestProblem(.system(error))])
        }
        saved = text.bytes
    }
}

/// The effect of a save on the history.
private enum HistoryUpdate: Sendable {
    case none
    case append(ManifestChange)
    case removeLast
}

extension String {
    fileprivate static let bindings = ManifestKey.bindings.rawValue
    fileprivate static let modules = ManifestKey.modules.rawValue
    fileprivate static let library = ManifestKey.Module.library.rawValue
    fileprivate static let enabled = ManifestKey.Module.enabled.rawValue
    fileprivate static let sha256 = ManifestKey.Module.sha256.rawValue
}
