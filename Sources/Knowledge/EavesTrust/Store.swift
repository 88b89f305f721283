// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

package import EavesDiagnostics
package import EavesSystem
import Glibc
import Synchronization

/// The folder of the host's own files, `.eaves` next to the manifest: private copies, the cache, the
/// history, the quarantine and the records of builds.
///
/// Only its owner may be able to change it. So it is reached by descriptors alone: the manifest's
/// folder is followed from the root, the store and its folders are opened in it without following links,
/// and the owner and permissions that count are those of the open folder. Files are made, replaced and
/// removed in the open folder, under their names alone.
package struct Store: Hashable, Sendable {
    /// The store's name in the manifest's folder.
    package static let name = ".eaves"
    /// The mode of the folders that this process creates: no other user needs to see them.
    private static let mode: UInt32 = 0o700

    /// The manifest's folder, as an absolute path.
    private let project: String
    private let trust: TrustCheck
    private let opened = OpenedProject()

    package init(of project: String, _ trust: TrustCheck) {
        self.project = project
        self.trust = trust
    }

    /// The store's path, for messages.
    package var path: String { Path.join(project, Self.name) }

    /// The path of a file in the store, for messages.
    package func path(of name: String) -> String { Path.join(path, name) }

    /// Opens the store or a folder of it.
    ///
    /// - Parameter name: The name of a folder in the store.
    /// - Returns: `nil` if there is none, or if it belongs to another user whom the manifest's owner is:
    ///   consent to use someone's modules does not make their store one's own.
    package func open(_ name: String? = nil) throws(PlaceError) -> OpenFolder? {
        let project = try heldProject()
        guard let store = try open(Self.name, in: project.folder) else { return nil }
        guard let name else { return store }
        return try open(name, in: store)
    }

    /// Opens the store or a folder of it, and creates it if it is missing.
    ///
    /// Root creates none in another user's folder, because that user could not use it.
    ///
    /// - Throws: ``PlaceError``, also if the store belongs to another user.
    package func make(_ name: String? = nil) throws(PlaceError) -> OpenFolder {
        let project = try heldProject()
        let store = try make(Self.name, in: project.folder)
        guard let name else { return store }
        return try make(name, in: store)
    }

    /// The reason why no process of this user makes the store, or another folder in it; `nil` if each does.
    package var obstacle: SystemError? {
        let place = (try? FileStatus(link: path)) == nil ? project : path
        guard let status = try? FileStatus(link: place), status.kind == .directory else {
            return SystemError(.write, place, .notDirectory)
        }
        guard status.isOwnedByUser else { return SystemError(.write, place, .permissionDenied) }
        return access(place, W_OK) == 0 ? nil : SystemError(.write, place)
    }

    /// Returns the manifest's folder, which the store is in. The way to it is followed and checked once:
    /// from then on this value and its copies hold the folder that was found.
    package func openProject() throws(PlaceError) -> OpenFolder {
        let held = try heldProject()
        return try PlaceError.wrapping(try held.folder.copy())
    }

    private func heldProject() throws(PlaceError) -> OpenedProject.Folder {
        do throws(TrustError) {
            return try opened.folder { () throws(TrustError) in
                try trust.openFolder(TrustPlace(project, .workplace))
            }
        } catch {
            throw .untrusted(error)
        }
    }

    private func make(
        _ name: String, in folder: borrowing OpenFolder
    ) throws(PlaceError) -> OpenFolder {
        // Usually it is there: asking first takes a third of the system calls.
        if let there = try open(name, in: folder) { return there }
        if try PlaceError.wrapping(try folder.status()).isOwnedByUser {
            _ = try PlaceError.wrapping(try folder.createFolder(name, mode: Self.mode))
        }
        guard let made = try open(name, in: folder) else {
            let reason: Errno = folder.has(name) ? .fileExists : .permissionDenied
            throw .system(SystemError(.create, Path.join(folder.path, name), reason))
        }
        return made
    }

    /// Opens a folder of the store, or the store itself, and checks what it has opened.
    private func open(
        _ name: String, in folder: borrowing OpenFolder
    ) throws(PlaceError) -> OpenFolder? {
        do throws(PlaceError) {
            guard let opened = try folder.folder(name) else { return nil }
            let status = try PlaceError.wrapping(try opened.status())
            if !TrustCheck.own.trusts(status.owner), trust.trusts(status.owner) { return nil }
            try TrustCheck.own.check(opened, status)
            // A volume's group gets the permission to write at each start of a pod.
            if status.isWritableByOthers { fchmod(opened.descriptor, Self.mode) }
            return opened
        } catch {
            // Something else that is called like the store is none.
            let isFolder = (try? folder.status(link: name))?.kind == .directory
            if case .system = error, name == Self.name, !isFolder { return nil }
            throw error
        }
    }
}

/// Holds a manifest's folder from its first use on, because following a path from the root costs a dozen
/// system calls, and a launch reaches into the store ten times.
private final class OpenedProject: Hashable, Sendable {
    final class Folder: Sendable {
        let folder: OpenFolder

        init(_ folder: consuming OpenFolder) { self.folder = folder }
    }

    private let held = Mutex<Folder?>(nil)

    /// - Parameter open: Called as long as it has not succeeded.
    func folder(_ open: () throws(TrustError) -> OpenFolder) throws(TrustError) -> Folder {
        try held.withLock { held throws(TrustError) in
            if let held { return held }
            let project = Folder(try open())
            held = project
            return project
        }
    }

    // Two stores of one folder are equal, whichever has been opened.
    static func == (_: OpenedProject, _: OpenedProject) -> Bool { true }
    func hash(into _: inout Hasher) {}
}

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
        try check.check(opened, PlaceError.wrapping(try opened.status()))
        return opened
    }

    /// Opens a folder of this folder, and creates it if it is missing.
    ///
    /// - Parameter created: Called if this call has created the folder.
    package func makeFolder(
        _ name: String, mode: UInt32, checkedBy check: TrustCheck,
        created: (borrowing OpenFolder) throws(SystemError) -> Void = { _ in }
    ) throws(PlaceError) -> OpenFolder {
        if let there = try folder(name, checkedBy: check) { return there }
        if try PlaceError.wrapping(try createFolder(name, mode: mode)) {
            let made = try PlaceError.wrapping(try OpenFolder(name, in: self))
            try PlaceError.wrapping(try created(made))
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
        return try PlaceError.wrapping(try FileLock(folder, within: limit))
    }

    /// Opens a folder of this folder, without a look at who can change it. Refuses a link.
    fileprivate func folder(_ name: String) throws(PlaceError) -> OpenFolder? {
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
    fileprivate func check(_ folder: borrowing OpenFolder, _ status: FileStatus) throws(PlaceError)
    {
        let place = TrustPlace(folder.path, .store)
        let error = error(of: status, at: place, seenAs: folder.ownPath)
        if let error { throw .untrusted(error) }
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
package enum PlaceError: Error, Hashable, Sendable, Diagnosable {
    /// Others can change it, or have put a link there.
    case untrusted(TrustError)
    case system(SystemError)

    /// Runs `body`, and makes its error one of a place.
    package static func wrapping<Value: ~Copyable>(
        _ body: @autoclosure () throws(SystemError) -> Value
    ) throws(PlaceError) -> Value {
        do throws(SystemError) { return try body() } catch { throw .system(error) }
    }

    package var diagnostic: Diagnostic {
        switch self {
        case .untrusted(let error): error.diagnostic
        case .system(let error): error.diagnostic
        }
    }
}
