// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesDiagnostics
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
                try trust.openFolder(TrustPlace(project, .way))
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
        if try folder.ownStatus().isOwnedByUser {
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
        guard let opened = try openUnchecked(name, in: folder) else { return nil }
        let status = try opened.ownStatus()
        if !TrustedOwners.own.contains(status.owner), trust.owners.contains(status.owner) {
            return nil
        }
        try TrustCheck.own.check(opened, status)
        return opened
    }

    private func openUnchecked(
        _ name: String, in folder: borrowing OpenFolder
    ) throws(PlaceError) -> OpenFolder? {
        do throws(PlaceError) {
            return try folder.folder(name)
        } catch {
            // Something else that is called like the store is none.
            let isFolder = (try? folder.status(link: name))?.kind == .directory
            if case .system = error, name == Self.name, !isFolder { return nil }
            throw error
        }
    }
}

extension Store {
    package static func == (left: Store, right: Store) -> Bool {
        left.project == right.project && left.trust == right.trust
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(project)
        hasher.combine(trust)
    }
}

/// Holds a manifest's folder from its first use on, because following a path from the root costs a dozen
/// system calls, and a launch reaches into the store ten times.
private final class OpenedProject: Sendable {
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
}
