// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

package import EavesDiagnostics
package import EavesSystem
import Glibc

/// The folder of the host's own files, `.eaves` next to the manifest or in another ``StorePlace``: private copies, the
/// cache, the history, the quarantine and the records of builds.
///
/// Only its owner may be able to change it. So it is reached by descriptors alone: the folder that it is
/// in is followed from the root, the store and its folders are opened in it without following links,
/// and the owner and permissions that count are those of the open folder. Files are made, replaced and
/// removed in the open folder, under their names alone.
package struct Store: Sendable {
    /// The store's name in the manifest's folder.
    package static let name = ".eaves"
    /// The mode of the folders that this process creates: no other user needs to see them.
    private static let mode: UInt32 = 0o700

    /// The manifest's folder, as an absolute path.
    package let project: String
    private let trust: TrustCheck
    private let known = Shared<[StorePlace]>([])
    private let held = Shared<[StorePlace: HeldFolder]>([:])

    package init(of project: String, _ trust: TrustCheck) {
        self.project = project
        self.trust = trust
    }

    private var places: [StorePlace] {
        known.exclusively {
            if known.value.isEmpty { known.value = StorePlace.all(of: project, trust) }
            return known.value
        }
    }

    /// The store's path, for messages.
    package var path: String { places[0].path }

    /// The path of a file in the store, for messages.
    package func path(of name: String) -> String { Path.join(path, name) }

    package var isInMemory: Bool { places[0].reason != nil }

    /// The reason why no process of this user makes the store on the disk, or another folder in it; `nil` if each does.
    package var obstacle: SystemError? { places[0].reason ?? places[0].obstacle }

    /// Opens the store or a folder of it.
    ///
    /// - Parameter name: The name of a folder in the store.
    /// - Returns: `nil` if there is none, or if it belongs to another user, except for root with that user's consent:
    ///   consent to use someone's modules does not make their store one's own.
    package func open(_ name: String? = nil) throws(PlaceError) -> OpenFolder? {
        for place in places {
            do throws(PlaceError) {
                if let found = try open(name, at: place) { return found }
            } catch {
                if case .system(let reason) = error, reason.errno == .permissionDenied { continue }
                if place == places[0], !isInMemory { throw error }
            }
        }
        return nil
    }

    /// Opens the store or a folder of it, and creates it if it is missing.
    ///
    /// Root creates none in another user's folder, because that user could not use it. What root makes in another user's
    /// store belongs to that user.
    ///
    /// - Throws: ``PlaceError``, also if the store belongs to another user.
    package func make(_ name: String? = nil) throws(PlaceError) -> OpenFolder {
        let store = try makeStore()
        guard let name else { return store }
        return try make(name, in: store, places[0], ofAnyUser: Accounts.current == 0)
    }

    private func makeStore() throws(PlaceError) -> OpenFolder {
        let place = places[0]
        // Usually it is there: asking first takes a third of the system calls.
        if let there = try open(nil, at: place) { return there }
        let outer = try hold(place)
        if place.isNextToLink { _ = try? outer.folder.createFolder(StorePlace.sign, mode: 0o700) }
        if let earlier = try open() {
            // No process finds a part of it.
            let fresh = "\(place.name).\(getpid())"
            try earlier.copyState(to: make(fresh, in: outer.folder, place, ofAnyUser: isInMemory))
            if (try? outer.folder.rename(fresh, to: place.name)) == nil {
                try? outer.folder.removeTree(fresh)
            }
        }
        return try make(place.name, in: outer.folder, place, ofAnyUser: isInMemory)
    }

    /// - Parameter isOfAnyUser: Whether the folder may be another user's. What is made in it is that user's then.
    private func make(
        _ name: String, in folder: borrowing OpenFolder, _ place: StorePlace,
        ofAnyUser isOfAnyUser: Bool
    ) throws(PlaceError) -> OpenFolder {
        if let there = try open(name, in: folder, place) { return there }
        let status = try PlaceError.wrapping(try folder.status())
        // Another process may have made it meanwhile.
        let kind = (try? folder.status(link: name))?.kind
        let isFree = kind == nil && (status.isOwnedByUser || isOfAnyUser)
        guard isFree || kind == .directory else {
            let reason: Errno = kind == nil ? .permissionDenied : .fileExists
            throw .system(SystemError(.create, Path.join(folder.path, name), reason))
        }
        return try folder.makeFolder(name, mode: Self.mode, checkedBy: place.trust) {
            made throws(SystemError) in
            try made.give(to: status.owner)
        }
    }

    /// Opens a folder of each store that processes of the project may have: this one, those that it begins with, and those
    /// of other users in memory.
    ///
    /// - Parameter body: A function that gets the folder, and a check that trusts its owner.
    /// - Returns: The reasons why this process cannot look into some.
    package func inEachPlace(
        _ name: String, _ body: (borrowing OpenFolder, TrustCheck) -> Void
    ) throws(PlaceError) -> [SystemError] {
        var closed: [SystemError] = []
        let others = places.first { $0.reason == nil }?.ofOthers
        for place in places + (others ?? []) {
            do throws(PlaceError) {
                if let folder = try open(name, at: place) { body(folder, place.trust) }
            } catch {
                if case .system(let reason) = error {
                    closed.append(reason)
                } else if place == places[0], !isInMemory {
                    throw error
                }
            }
        }
        return closed
    }

    /// Opens the folder that has the store under the returned name, for a process that makes it as it crashes.
    package func openPlace() throws(PlaceError) -> (folder: Int32, name: String) {
        // Elsewhere than next to the manifest, such a process does not know what the store begins with.
        if places[0].folder != project { _ = try makeStore() }
        let outer = try hold(places[0])
        return (try PlaceError.wrapping(try outer.folder.duplicate()), places[0].name)
    }

    /// Follows the way to a place, and checks it, once: from then on this value and its copies hold the folder that was found. A
    /// launch reaches into the store ten times, and following a path from the root costs a dozen system calls.
    private func hold(_ place: StorePlace) throws(PlaceError) -> HeldFolder {
        try held.exclusively { () throws(PlaceError) in
            if let known = held.value[place] { return known }
            do throws(TrustError) {
                let way = TrustPlace(place.folder, .workplace)
                let folder = HeldFolder(try place.trust.openFolder(way))
                held.value[place] = folder
                return folder
            } catch {
                throw .untrusted(error)
            }
        }
    }

    private func open(_ name: String?, at place: StorePlace) throws(PlaceError) -> OpenFolder? {
        guard let store = try open(place.name, in: hold(place).folder, place) else { return nil }
        guard let name else { return store }
        return try open(name, in: store, place)
    }

    /// Opens a folder of the store, or the store itself, and checks what it has opened.
    private func open(
        _ name: String, in folder: borrowing OpenFolder, _ place: StorePlace
    ) throws(PlaceError) -> OpenFolder? {
        do throws(PlaceError) {
            guard let opened = try folder.folder(name) else { return nil }
            let status = try PlaceError.wrapping(try opened.status())
            let isOthers = !TrustCheck.own.trusts(status.owner) && place.trust.trusts(status.owner)
            if isOthers, Accounts.current != 0 {
                throw .system(SystemError(.open, opened.path, .permissionDenied))
            }
            try place.trust.check(opened, status)
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

private final class HeldFolder: Sendable {
    let folder: OpenFolder

    init(_ folder: consuming OpenFolder) { self.folder = folder }
}

extension OpenFolder {
    /// Copies all that a store knows to another one, besides what each process makes anew.
    fileprivate borrowing func copyState(to other: borrowing OpenFolder) throws(PlaceError) {
        let anew = ["modules", "hosts", "catalog"]
        for name in try PlaceError.wrapping(try names(startingWith: "")) where !anew.contains(name)
        {
            if let bytes = try? bytes(of: name) {
                try PlaceError.wrapping(
                    try other.replace(name, with: bytes, mode: 0o600, lasts: false))
            } else if !name.hasPrefix("."), let inner = try? OpenFolder(name, in: self) {
                try inner.copyState(to: other.makeFolder(name, mode: 0o700, checkedBy: .own))
            }
        }
    }
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
