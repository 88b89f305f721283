// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

package import EavesDiagnostics
package import EavesSystem

// Folders of Eaves' own, in folders that are open already: each is opened without following a link, and then its
// owner and permissions are checked, so that no other user can exchange it in between.
extension OpenFolder {
    /// Opens a folder of this folder, if no other user can change it.
    ///
    /// - Returns: `nil` if there is none.
    package func folder(
        _ name: String, checkedBy check: TrustCheck
    ) throws(PlaceError) -> OpenFolder? {
        guard let opened = try folder(name) else { return nil }
        try check.check(opened, opened.ownStatus())
        return opened
    }

    func ownStatus() throws(PlaceError) -> FileStatus {
        try PlaceError.wrapping(try status())
    }

    /// Opens a folder of this folder, and creates it if it is missing.
    ///
    /// - Parameter created: Called if this call has created the folder.
    package func makeFolder(
        _ name: String, mode: UInt32, checkedBy check: TrustCheck,
        created: (borrowing OpenFolder) throws(SystemError) -> Void = { _ in }
    ) throws(PlaceError) -> OpenFolder {
        if let there = try folder(name, checkedBy: check) { return there }
        do throws(SystemError) {
            let isNew = try createFolder(name, mode: mode)
            let made = try OpenFolder(name, in: self)
            if isNew { try created(made) }
        } catch {
            throw .system(error)
        }
        guard let made = try folder(name, checkedBy: check) else {
            throw .system(SystemError(.create, Path.join(path, name), .noSuchFile))
        }
        return made
    }

    /// Waits for the lock on what this folder holds. Other users may open this folder, and a user who can open a folder
    /// can lock it: so the lock is on a folder of its own, which its owner alone can open.
    ///
    /// - Parameters:
    ///   - name: The name of that folder.
    ///   - created: Called if this call has created it.
    package func takeLock(
        _ name: String = "lock", within limit: Duration = FileLock.patience,
        checkedBy check: TrustCheck,
        created: (borrowing OpenFolder) throws(SystemError) -> Void = { _ in }
    ) throws(PlaceError) -> FileLock {
        let folder = try makeFolder(name, mode: 0o700, checkedBy: check, created: created)
        do throws(SystemError) {
            return try FileLock(folder, within: limit)
        } catch {
            throw .system(error)
        }
    }

    /// Opens a folder of this folder, without a look at who can change it. Refuses a link.
    func folder(_ name: String) throws(PlaceError) -> OpenFolder? {
        do throws(SystemError) {
            return try OpenFolder(name, in: self)
        } catch {
            // Asked first: another process may create it at this moment.
            if error.errno == .noSuchFile { return nil }
            guard (try? status(link: name))?.kind == .link else { throw .system(error) }
            throw .untrusted(.link(TrustPlace(Path.join(path, name), .store)))
        }
    }
}

extension TrustCheck {
    /// Checks who can change an open folder of Eaves' own, which has this status.
    func check(_ folder: borrowing OpenFolder, _ status: FileStatus) throws(PlaceError) {
        let place = TrustPlace(folder.path, .store)
        if let error = error(of: status, at: place, folder) { throw .untrusted(error) }
    }

    /// Opens a folder in which Eaves makes files and folders: no other user can exchange them.
    ///
    /// - Parameter path: An absolute path.
    package func openWorkplace(_ path: String) throws(PlaceError) -> OpenFolder {
        try open(TrustPlace(path, .workplace))
    }

    /// Opens a folder that no other user can change, after creating it and those above it that are missing.
    ///
    /// - Parameter path: An absolute path.
    package func makeFolder(_ path: String, mode: UInt32) throws(PlaceError) -> OpenFolder {
        try make(TrustPlace(path, .way), mode)
    }

    private func make(_ place: TrustPlace, _ mode: UInt32) throws(PlaceError) -> OpenFolder {
        do throws(PlaceError) {
            return try open(place)
        } catch {
            guard case .system(let reason) = error, reason.errno == .noSuchFile, place.path != "/"
            else { throw error }
        }
        return try make(TrustPlace(Path.parent(of: place.path), .workplace), mode)
            .makeFolder(Path.name(of: place.path), mode: mode, checkedBy: self)
    }

    private func open(_ place: TrustPlace) throws(PlaceError) -> OpenFolder {
        do throws(TrustError) {
            return try openFolder(place)
        } catch {
            if case .unresolved(_, let reason) = error { throw .system(reason) }
            throw .untrusted(error)
        }
    }
}

/// The reason why the store, another folder of Eaves' own, or an output cannot be used.
package enum PlaceError: Error, Hashable, Sendable {
    /// Others can change it, or have put a link there.
    case untrusted(TrustError)
    case system(SystemError)
}

extension PlaceError {
    /// Runs `body`, and makes its error one of a place.
    package static func wrapping<Value: ~Copyable>(
        _ body: @autoclosure () throws(SystemError) -> Value
    ) throws(PlaceError) -> Value {
        do throws(SystemError) { return try body() } catch { throw .system(error) }
    }
}

extension PlaceError: Diagnosable {
    package var diagnostic: Diagnostic {
        switch self {
        case .untrusted(let error): error.diagnostic
        case .system(let error): error.diagnostic
        }
    }
}
