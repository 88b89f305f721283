// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

package import EavesSystem

/// Follows a path as the system does, name by name and link by link, from the root of the disk. Each
/// directory is held, and its owner and permissions are checked, before the next name is looked up in
/// it: a user who could write one of them could put something else there.
///
/// The walk holds the directories themselves and not their names, so no process can exchange a directory
/// after it was checked. The file at the end is opened through the handle whose status was checked.
struct TrustWalk: ~Copyable {
    private let place: TrustPlace
    private let check: TrustCheck
    /// The names that are still to follow, the next one last.
    private var names: [Substring]
    private var folder: PathHandle
    private var status: FileStatus
    /// The user whose program serves the file system that it is on; `nil` if none does.
    private var server: UInt32?
    private var linkCount = 0
    /// The folders that a module can change, and whether the walk has come through one of them.
    private let changeable: Set<[UInt64]>
    private var isInside = false

    /// Linux follows no more links than this.
    private static let linkLimit = 40

    /// Follows an absolute path to its end.
    ///
    /// - Throws: ``TrustError`` for the first untrusted directory, link or file; also if no file has that path.
    static func follow(_ place: TrustPlace, _ check: TrustCheck) throws(TrustError) -> TrustedFile {
        do {
            var walk = try TrustWalk(place, check)
            while let name = walk.names.popLast() {
                guard let end = try walk.step(String(name)) else { continue }
                guard end.status.kind == .file else {
                    throw TrustError.notAFile(place, end.status.kind)
                }
                let error = check.error(
                    of: end.status, at: TrustPlace(end.path, place.role),
                    seenAs: end.handle.ownPath)
                if let error { throw error }
                return end
            }
            try walk.checkFolder(
                as: place.role == .store ? .store : .way,
                allowingSticky: place.role == .workplace)
            return walk.end()
        } catch let error as TrustError {
            throw error
        } catch {
            // Nothing else is thrown here than what the system calls report.
            let reason = error as? SystemError ?? SystemError(.inspect, place.path)
            throw .unresolved(place, reason)
        }
    }

    /// Follows the path of a file that is about to be written, up to the last name, which need not exist.
    ///
    /// Directories are not judged: the caller may write where others can write, too. But a link leads where its
    /// owner wants, so it is followed only if no other user can have put it there.
    static func followOutput(_ path: String, _ check: TrustCheck) throws(PlaceError) -> Output {
        do {
            var walk = try TrustWalk(TrustPlace(path, .output), check)
            while let name = walk.names.popLast() {
                do {
                    guard let end = try walk.step(String(name)) else { continue }
                    guard end.status.kind == .file else {
                        throw SystemError(.write, path, .invalidArgument)
                    }
                } catch let error as SystemError {
                    guard walk.names.isEmpty, error.errno == .noSuchFile else { throw error }
                }
                return try walk.output(String(name))
            }
            throw SystemError(.write, path, .isDirectory)
        } catch let error as TrustError {
            throw .untrusted(error)
        } catch {
            // Nothing else is thrown here than what the system calls report.
            let reason = error as? SystemError ?? SystemError(.create, path)
            let action: SystemError.Action = reason.action == .write ? .write : .create
            throw .system(SystemError(action, path, reason.errno))
        }
    }

    /// Follows the path of a file that a module may have. A link is followed as on the way to an output, but none in a folder
    /// that a module can change.
    fileprivate static func followPermission(
        _ path: String, _ check: TrustCheck, outside changeable: Set<[UInt64]>
    ) throws -> PathHandle {
        var walk = try TrustWalk(TrustPlace(path, .output), check, outside: changeable)
        while let name = walk.names.popLast() {
            if let end = try walk.step(String(name)) { return end.take() }
        }
        return walk.end().take()
    }

    /// The directory that the path leads to.
    private consuming func end() -> TrustedFile { TrustedFile(handle: folder, status: status) }

    private init(
        _ place: TrustPlace, _ check: TrustCheck, outside changeable: Set<[UInt64]> = []
    ) throws(SystemError) {
        let root = try PathHandle.root()
        status = try root.status()
        folder = root
        self.place = place
        self.check = check
        self.changeable = changeable
        names = place.path.utf8.split(separator: UInt8(ascii: "/")).reversed().map(Substring.init)
    }

    /// Goes to the next name. On the way to an output, links alone are judged.
    ///
    /// - Returns: The end of the path, unless it is a directory.
    private mutating func step(_ name: String) throws -> TrustedFile? {
        if !changeable.isEmpty { isInside = isInside || changeable.contains(status.node) }
        if name == "." { return nil }
        if name == ".." {
            // The directory above was on the way here already.
            try enter(try folder.parent())
            return nil
        }
        let next = try folder.child(name)
        let found = try next.status()
        let judgesAll = place.role != .output
        do {
            // Asks only where another file system begins.
            let server = try found.device == status.device ? self.server : next.servingUser()
            if judgesAll || found.kind == .link {
                // A file could still be another file of the same owner, hard-linked under this name.
                try checkFolder(allowingSticky: found.kind == .directory || found.kind == .link)
                if let server, !check.trusts(server) {
                    throw TrustError.served(
                        TrustPlace(next.path, names.isEmpty ? place.role : .way), by: server)
                }
            }
            switch found.kind {
            case .directory:
                // In a folder that others can write, also with the sticky bit, each of them can make one.
                let error = check.ownerError(
                    of: found, at: TrustPlace(next.path, .way), seenAs: next.ownPath,
                    isShared: status.isWritableByOthers)
                if judgesAll, let error { throw error }
                folder = next
                status = found
                self.server = server
                return nil
            case .link:
                if isInside { throw TrustError.link(TrustPlace(next.path, .output)) }
                try follow(link: next, found)
                return nil
            default:
                // Only a directory can be on the way to something else.
                guard names.isEmpty else { throw SystemError(.inspect, next.path, .notDirectory) }
                return TrustedFile(handle: next, status: found)
            }
        } catch is TrustError where !judgesAll {
            throw TrustError.link(TrustPlace(next.path, .output))
        }
    }

    private consuming func output(_ name: String) throws(SystemError) -> Output {
        let place = TrustPlace(folder.path, .way)
        let error = check.error(of: status, at: place, seenAs: folder.ownPath)
        return Output(name, in: try folder.openFolder(), isShared: error != nil)
    }

    private mutating func enter(_ next: consuming PathHandle) throws(SystemError) {
        folder = next
        status = try folder.status()
        server = try folder.servingUser()
    }

    /// Puts the text of a link in front of the names that are still to follow.
    private mutating func follow(link: borrowing PathHandle, _ found: FileStatus) throws {
        let place = TrustPlace(link.path, .way)
        if let error = check.ownerError(of: found, at: place, seenAs: link.ownPath) { throw error }
        linkCount += 1
        guard linkCount <= Self.linkLimit else {
            throw SystemError(.inspect, link.path, .tooManyLinks)
        }
        let target = try link.linkTarget()
        names += target.utf8.split(separator: UInt8(ascii: "/")).reversed().map(Substring.init)
        if target.utf8.first == UInt8(ascii: "/") { try enter(try PathHandle.root()) }
    }

    /// Checks the directory that the walk is in: a user who can write it can replace what it contains.
    ///
    /// A directory with the sticky bit, such as `/tmp`, is different: only the owner of an entry can rename, remove or
    /// replace it.
    private func checkFolder(
        as role: TrustPlace.Role = .way, allowingSticky allowsSticky: Bool
    ) throws(TrustError) {
        let here = TrustPlace(folder.path, role)
        let error =
            allowsSticky && status.mode & 0o1000 != 0
            ? check.ownerError(of: status, at: here, seenAs: folder.ownPath)
            : check.error(of: status, at: here, seenAs: folder.ownPath)
        if let error { throw error }
    }
}

/// The file or directory at the end of a trusted path, held so that it cannot be exchanged.
package struct TrustedFile: ~Copyable, Sendable {
    fileprivate let handle: PathHandle
    package let status: FileStatus

    fileprivate init(handle: consuming PathHandle, status: FileStatus) {
        self.handle = handle
        self.status = status
    }

    fileprivate consuming func take() -> PathHandle { handle }

    /// The path without links.
    package var path: String { handle.path }

    package func open() throws(SystemError) -> OpenFile { try handle.openFile() }

    /// Opens the directory, to list it and to reach what is in it.
    package func openFolder() throws(SystemError) -> OpenFolder { try handle.openFolder() }
}

/// A file that Eaves is about to write, with the folder that it is in held by a descriptor. Every file that is
/// written outside of the store, and outside of a build's own folders, is written through this door.
///
/// The way to it is followed as ``TrustWalk`` does. A link is followed only if no other user can have put it there:
/// in a folder that others can write, such as `/tmp`, it would otherwise make Eaves overwrite any file of the
/// user who runs it.
package struct Output: ~Copyable, Sendable {
    private let folder: OpenFolder
    private let name: String
    /// Whether other users can write the folder.
    private let isShared: Bool

    /// Follows the path, and opens the folder.
    ///
    /// - Parameters:
    ///   - path: Absolute, or relative to the working directory. No file needs to be there.
    ///   - check: The users whose links are followed, besides root and the user of this process.
    package init(_ path: String, _ check: TrustCheck = .own) throws(PlaceError) {
        self = try TrustWalk.followOutput(Path.absolute(path), check)
    }

    fileprivate init(_ name: String, in folder: consuming OpenFolder, isShared: Bool) {
        self.folder = folder
        self.name = name
        self.isShared = isShared
    }

    /// Makes a folder, and the folders above it that are missing. One that is there is no error.
    package static func makeFolder(_ path: String, _ check: TrustCheck = .own) throws(PlaceError) {
        do throws(PlaceError) {
            let output = try Output(path, check)
            guard
                try PlaceError.wrapping(try output.folder.createFolder(output.name, mode: 0o755))
            else { throw .system(SystemError(.create, path, .fileExists)) }
        } catch .system(let error) where error.errno == .noSuchFile {
            try makeFolder(Path.parent(of: Path.absolute(path)), check)
            try makeFolder(path, check)
        } catch .system(let error) where error.errno == .isDirectory {
            return
        }
    }

    /// Replaces the file in one step: readers see the old content or the new, never a part, also after a
    /// power cut. Refuses to replace anything other than a regular file.
    ///
    /// It keeps the permissions of the file that it replaces, and the owner where this process may set it. In a
    /// folder that others can write, that file may be theirs, so that the new one keeps nothing of it.
    package func replace(with bytes: some Collection<UInt8>) throws(PlaceError) {
        try PlaceError.wrapping(
            try folder.replaceFile(name, with: bytes, mode: 0o644, keepsStatus: !isShared))
    }
}

/// The files that modules may have by their permissions. A module can put a link in the place of what it may change, and so
/// no such link leads to a file of another permission.
package struct PermittedFiles {
    private var changeable: Set<[UInt64]> = []

    /// - Parameter changeable: The files and folders that some module may change, as absolute paths.
    package init(besides changeable: [String]) {
        // A folder comes before those inside of it.
        for path in changeable.sorted(by: { $0.utf8.count < $1.utf8.count }) {
            if let node = try? open(path).status().node { self.changeable.insert(node) }
        }
    }

    /// Takes hold of the file, or of the folder.
    ///
    /// - Throws: ``Errno/tooManyLinks`` for a link that a module or another user can have put there.
    package func open(_ path: String) throws(SystemError) -> PathHandle {
        do {
            return try TrustWalk.followPermission(path, .own, outside: changeable)
        } catch let error as SystemError {
            throw SystemError(.open, path, error.errno)
        } catch {
            throw SystemError(.open, path, .tooManyLinks)
        }
    }
}
