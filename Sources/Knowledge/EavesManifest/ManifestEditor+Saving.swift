// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

internal import EavesSystem
internal import EavesTrust

extension ManifestEditor {
    /// Edits a manifest: loads it, has `body` change it, and saves it. No other process can edit it
    /// meanwhile in this way, so no edit is lost.
    ///
    /// - Parameters:
    ///   - patience: How long to wait while another process edits it.
    ///   - body: A function that changes the manifest as it is now. If it throws, nothing is written.
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
                throw ManifestError(path, [ManifestProblem(.untrusted(.untrusted(error)))])
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
