// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

internal import EavesJSON
internal import EavesSystem
package import EavesTrust

/// Edits a manifest: ``edit(_:patience:_:)`` loads it, changes it and saves it while no other process edits it.
///
/// The unchanged parts stay as they are, byte for byte. A change that would make the manifest
/// invalid is refused at once; the changes before it stay.
package struct ManifestEditor: Sendable {
    /// The manifest with all changes so far.
    package private(set) var manifest: Manifest
    let path: String
    var saved: [UInt8]
    private(set) var text: JSONEditor
    /// The changes to keep in the history, or to take out of it, together with the next save.
    var history = HistoryUpdate.none

    /// Loads a manifest, to try changes of its text. Only ``edit(_:patience:_:)`` can save them.
    package init(_ path: String) throws(ManifestError) {
        let text = try Manifest.read(path)
        try self.init(path: path, bytes: text.bytes, trust: text.trust)
    }

    /// Begins with the text of a file, which is not read.
    package init(
        path: String, bytes: [UInt8], trust: TrustCheck = .own
    ) throws(ManifestError) {
        self.path = path
        saved = bytes
        manifest = try Manifest(path: path, bytes: bytes, trust: trust)
        do {
            text = try JSONEditor(bytes)
        } catch {
            throw ManifestError(path, [ManifestProblem(.syntax(error), at: error.position)])
        }
    }

    /// Whether there are changes for ``edit(_:patience:_:)`` to write.
    package var isChanged: Bool { text.bytes != saved }

    package var bytes: [UInt8] { text.bytes }

    /// Enables or disables a module. A module without an entry is enabled, and gets an entry when it is disabled.
    package mutating func setEnabled(_ id: String, _ isEnabled: Bool) throws(ManifestError) {
        guard (manifest.entry(id)?.isEnabled ?? true) != isEnabled else { return }
        try change { text throws(JSONSyntaxError) in
            try text.set([.modules, id, .enabled], to: .bool(isEnabled))
        }
    }

    /// Lets a module take the place of another one, or of an older file of its own, whose state it cannot take on;
    /// or no longer. A module without an entry gets one, and an entry that has no other keys is removed.
    package mutating func setDiscardsState(
        _ id: String, _ discardsState: Bool
    ) throws(ManifestError) {
        guard (manifest.entry(id)?.discardsState ?? false) != discardsState else { return }
        try change { text throws(JSONSyntaxError) in
            guard !discardsState else {
                return try text.set([.modules, id, .discardState], to: .bool(true))
            }
            try text.remove([.modules, id, .discardState])
            try Self.removeEmptyEntry(id, from: &text)
        }
    }

    private static func removeEmptyEntry(
        _ id: String, from text: inout JSONEditor
    ) throws(JSONSyntaxError) {
        let entry = try JSONNode.parse(text.bytes)[.modules]?[id]
        if entry?.members?.isEmpty == true { try text.remove([.modules, id]) }
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
    ///
    /// - Parameter leastVersion: The least version to ask for from now on. It goes with the pin, unless
    ///   modules have to be signed: only then a version says something about what the file is.
    package mutating func pin(
        _ id: String, to sha256: String?, leastVersion: ModuleVersion? = nil
    ) throws(ManifestError) {
        guard manifest.entry(id)?.sha256 != sha256 else { return }
        let keepsVersion = manifest.signatures == .required
        try change { text throws(JSONSyntaxError) in
            if let sha256 {
                try text.set([.modules, id, .sha256], to: .string(sha256))
                if let leastVersion {
                    try text.set([.modules, id, .leastVersion], to: .string(leastVersion.text))
                }
            } else {
                try text.remove([.modules, id, .sha256])
                if !keepsVersion { try text.remove([.modules, id, .leastVersion]) }
                try Self.removeEmptyEntry(id, from: &text)
            }
        }
    }

    /// Asks for a least version of a module. A module without an entry gets one.
    package mutating func setLeastVersion(
        _ id: String, _ version: ModuleVersion
    ) throws(ManifestError) {
        guard manifest.entry(id)?.leastVersion != version else { return }
        try change { text throws(JSONSyntaxError) in
            try text.set([.modules, id, .leastVersion], to: .string(version.text))
        }
    }

    /// Changes the text, unless the manifest would not be valid then.
    mutating func change(
        _ body: (inout JSONEditor) throws(JSONSyntaxError) -> Void
    ) throws(ManifestError) {
        var changed = text
        do throws(JSONSyntaxError) {
            try body(&changed)
        } catch {
            throw ManifestError(path, [ManifestProblem(.syntax(error))])
        }
        do throws(ManifestError) {
            manifest = try Manifest(path: path, bytes: changed.bytes, trust: manifest.trust)
        } catch {
            // The places are those of a text that is not saved, so they would mislead.
            let problems = error.problems.map { ManifestProblem($0.kind, keys: $0.keys) }
            throw ManifestError(path, problems)
        }
        text = changed
    }

    // MARK: Saving

    /// Edits a manifest: loads it, has `body` change it, and saves it. No other process can edit it
    /// meanwhile in this way, so no edit is lost.
    ///
    /// - Parameters:
    ///   - patience: How long to wait while another process edits it.
    ///   - body: A function that changes the manifest as it is now. If it throws, nothing is written.
    /// - Returns: The result of `body`, once the change is on the disk.
    /// - Throws: ``ManifestError`` if the manifest cannot be read, locked or written. It then stays as it is.
    ///   ``HistoryError`` if the history of changes cannot be read or written. The errors of `body`.
    @discardableResult
    package static func edit<Result>(
        _ path: String, patience: Duration = .seconds(10),
        _ body: (inout ManifestEditor) throws -> Result
    ) throws -> Result {
        // A missing or unreadable manifest is reported as such, and not its folder.
        _ = try Manifest.read(path)
        // A folder is locked, and not the file, which is replaced by another one.
        let folder = Path.parent(of: Files.resolved(path) ?? path)
        let lock = lockFolder(of: folder)
        let taken = {
            let holder = LockHolder(of: lock)
            return ManifestError(
                path, [ManifestProblem(.locked(folder: folder, by: holder, after: patience))])
        }
        return try FileLock.holding(lock, within: patience, orThrow: taken) {
            var editor = try ManifestEditor(path)
            let result = try body(&editor)
            try editor.commit()
            return result
        }
    }

    /// The folder that is locked while the manifest in a folder is edited: one in its store, which no other user can
    /// open and so cannot lock. Root makes no store in another user's folder, and locks that folder itself.
    private static func lockFolder(of folder: String) -> String {
        let made = try? Store(of: Path.absolute(folder), .own).make("edits").path
        return made ?? folder
    }

    /// Saves the manifest and its history. A process that is killed on the way leaves the old state or the new
    /// one: the history has what was about to be done, and the manifest says whether it was.
    private mutating func commit() throws {
        switch history {
        case .none:
            try save()
        case .append(let edit):
            try manifest.history.willAppend(edit, to: saved)
            try saveAndSettle()
        case .removeLast(let count) where isChanged:
            try manifest.history.willRemoveLast(count, from: saved)
            try saveAndSettle()
        case .removeLast(let count):
            // The manifest is as it was before the edits already.
            try manifest.history.removeLast(count)
        }
        history = .none
    }

    private mutating func saveAndSettle() throws(ManifestError) {
        // Whatever becomes of the manifest, its text says whether the change was made. So does the next one who
        // looks, if that cannot be noted now.
        defer { try? manifest.history.settle(at: saved) }
        try save()
    }

    /// Writes the changes in one step: readers see the old text or the new, never a part. Does not
    /// touch the file if there are no changes. Writes the target of a symbolic link.
    ///
    /// - Throws: ``ManifestError``, also if the file has changed since it was loaded, by an editor
    ///   that takes no lock. It then stays as it is.
    mutating func save() throws(ManifestError) {
        guard isChanged else { return }
        guard try Manifest.read(path).bytes == saved else {
            throw ManifestError(path, [ManifestProblem(.changedMeanwhile)])
        }
        do throws(PlaceError) {
            try Output(path, manifest.trust).replace(with: bytes)
        } catch {
            switch error {
            case .untrusted(let error):
                throw ManifestError(path, [ManifestProblem(.untrusted(.place(.untrusted(error))))])
            case .system(let error):
                throw ManifestError(path, [ManifestProblem(.system(error))])
            }
        }
        saved = bytes
    }
}

/// The effect of a save on the history.
enum HistoryUpdate: Sendable {
    case none
    case append(ManifestEdit)
    case removeLast(Int)
}

extension String {
    static let bindings = ManifestKey.bindings.rawValue
    static let modules = ManifestKey.modules.rawValue
    fileprivate static let library = ManifestKey.Module.library.rawValue
    fileprivate static let enabled = ManifestKey.Module.enabled.rawValue
    fileprivate static let discardState = ManifestKey.Module.discardState.rawValue
    fileprivate static let leastVersion = ManifestKey.Module.leastVersion.rawValue
    fileprivate static let sha256 = ManifestKey.Module.sha256.rawValue
}
