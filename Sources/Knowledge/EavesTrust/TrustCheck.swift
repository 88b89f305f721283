// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

package import EavesSystem

/// Checks who can change the files of one project, and opens those that pass. A file that is about to be used and is not
/// there fails the check, too.
///
/// A file is untrusted if someone other than root or the user may have put it there, or may change it:
///
/// 1. It belongs to someone who is neither root nor the user.
/// 2. Someone other than its owner can write it. A private group of the owner does not count.
/// 3. Rule 1 or 2 holds for a directory that its path leads through, from the root on, or rule 1 for
///    a link on the way. ``TrustWalk`` says what the sticky bit changes.
/// 4. It is a link in one of the manifest's directories that leads out of all of them, and the
///    manifest does not list it: ``error(ofLink:leadingOutOf:)``.
///
/// A manifest can also demand a digest or a signature. Those depend on the content, not on who can
/// change the file: ``SignatureCheck``.
package struct TrustCheck: Hashable, Sendable {
    /// The owner of a folder that the user has said to trust, whose files count as the user's own; see ``ConsentList``.
    let consented: UInt32?
    /// Paths without links of mount points that belong to this process, as its operator has said. In them owners count,
    /// and permissions do not: containers have mounts that all can write, and no other user of the machine reaches.
    var mounts = Self.named
    var namespace = UserNamespace.current

    /// A check that trusts root and the user of this process.
    package static let own = TrustCheck(consented: nil)

    /// The environment variable with the mount points, and colons between them.
    static let variable = "EAVES_TRUST"
    private static let named = Path.absolute(inList: Environment.value(of: variable) ?? "")
        .compactMap { Files.resolved($0) }

    package func trusts(_ user: UInt32) -> Bool {
        user == 0 || (user == Accounts.current || user == consented) && !namespace.hides(user)
    }

    /// Applies rules 1 and 2 to one file or directory; `nil` if it is trusted.
    ///
    /// A group without other members than the owner gives the permission to no other user. Where each user has such a
    /// private group, new files are often writable by it. An access control list can still let others write then.
    ///
    /// - Parameter file: A path that leads to the file, to read its access control list where that decides; the place itself
    ///   if `nil`. The path of an open descriptor cannot be exchanged meanwhile.
    package func error(
        of status: FileStatus, at place: TrustPlace, seenAs file: String? = nil
    ) -> TrustError? {
        if let error = ownerError(of: status, at: place, seenAs: file) { return error }
        guard status.isWritableByOthers, !isMounted(file ?? place.path) else { return nil }
        guard status.isWritableByGroupAlone, !namespace.hides(status.owner),
            Accounts.isPrivate(group: status.group, of: status.owner)
        else { return .writable(place, mode: status.mode, group: status.group) }
        do throws(SystemError) {
            return try AccessList(of: file ?? place.path)?.otherWriter(than: status.owner)
                .map { .accessList(place, $0) }
        } catch {
            return .unresolved(place, error)
        }
    }

    /// Applies rule 1.
    ///
    /// - Parameter isShared: Whether other users can write the directory that has the file.
    func ownerError(
        of status: FileStatus, at place: TrustPlace, seenAs file: String? = nil,
        isShared: Bool = false
    ) -> TrustError? {
        if trusts(status.owner) { return nil }
        let isHidden = namespace.hides(status.owner)
        let path = Self.path(of: file ?? place.path)
        if mounts.contains(path) { return nil }
        guard isHidden else { return .owner(place, status.owner) }
        let folder = status.kind == .directory ? path : Path.parent(of: path)
        let isOnWay = place.role == .way && (folder == "/" || status.kind == .directory)
        let isRoots = isOnWay && !isShared || Self.isOfSystem(path) || isMounted(path)
        return namespace.hidesRoot && isRoots ? nil : .hidden(place, folder: folder)
    }

    /// Whether a file is in one of ``mounts``, or is one.
    private func isMounted(_ file: String) -> Bool {
        guard !mounts.isEmpty else { return false }
        let path = Self.path(of: file)
        return mounts.contains { Path.isInside(path, $0) }
    }

    /// Whether a file of a user without a number here is root's by its place. Code of these folders is in each process: the
    /// C library, and what `/etc/ld.so.preload` names.
    private static func isOfSystem(_ path: String) -> Bool {
        ["/usr", "/etc"].contains { Path.isInside(path, $0) } && !Path.isInside(path, "/usr/local")
    }

    /// The path without links of a file, or of what a descriptor of this process holds.
    private static func path(of file: String) -> String {
        let isHeld = Path.isInside(file, "/proc/self/fd")
        return (isHeld ? try? Files.target(ofLink: file) : Files.resolved(file)) ?? file
    }

    /// Follows a path, and checks every directory on it, every link and its end.
    package func follow(_ place: TrustPlace) throws(TrustError) -> TrustedFile {
        try TrustWalk.follow(place, self)
    }

    /// Opens a file for reading. The file that was checked is the one that is opened.
    package func openFile(_ place: TrustPlace) throws(TrustError) -> OpenFile {
        let file = try follow(place)
        guard file.status.kind == .file else { throw .notAFile(place, file.status.kind) }
        do {
            let opened = try file.open()
            // Its owner may have changed the permissions since the walk saw them.
            let end = TrustPlace(file.path, place.role)
            let seen = PathHandle.ownPath(of: opened.descriptor)
            if let error = error(of: try opened.status(), at: end, seenAs: seen) { throw error }
            return opened
        } catch let error as TrustError {
            throw error
        } catch {
            throw .unresolved(place, error as? SystemError ?? SystemError(.open, place.path))
        }
    }

    /// Opens a directory for listing. The directory that was checked is the one that is opened.
    package func openFolder(_ place: TrustPlace) throws(TrustError) -> OpenFolder {
        let folder = try follow(place)
        do throws(SystemError) {
            return try folder.openFolder()
        } catch {
            throw .unresolved(place, error)
        }
    }

    /// The first error of a file or directory, or of the way to it.
    package func error(of place: TrustPlace) -> TrustError? {
        do throws(TrustError) {
            _ = try follow(place)
            return nil
        } catch {
            return error
        }
    }

    /// Looks at where a file really is: a link in one of the manifest's directories must not lead out
    /// of all of them. The caller exempts files that the manifest lists.
    ///
    /// - Parameter directories: The manifest's directories, as paths without links.
    package static func error(
        ofLink file: String, leadingOutOf directories: [String]
    ) -> TrustError? {
        guard let target = Files.resolved(file) else { return nil }
        let isInside = directories.contains { target.utf8.starts(with: ($0 + "/").utf8) }
        return isInside ? nil : .escapes(link: file, target: target)
    }
}

/// A file or directory that has to be trusted.
package struct TrustPlace: Hashable, Sendable {
    /// The purpose of the file. Messages name it, and their advice depends on it.
    package enum Role: Hashable, Sendable {
        case module
        case library
        case tool
        case manifest
        case allowedSigners
        /// A list of keys whose signatures do not count any more.
        case revokedKeys
        case source
        /// A list of the folders of others that the user trusts.
        case consents
        case store
        /// A file that is about to be written, where other users may write, too.
        case output
        /// A folder in which Eaves makes folders of its own. As in `/tmp`, others may write it if they cannot
        /// exchange what is there.
        case workplace
        /// A directory, or a link, on the way to one of the others.
        case way
    }

    /// As an absolute path.
    package let path: String
    package let role: Role

    package init(_ path: String, _ role: Role) {
        self.path = path
        self.role = role
    }
}

/// The gate that every command passes before it reads anything of a project: it opens the manifest, after
/// it has checked who can change it.
///
/// A manifest decides which code runs. So one that belongs to another user is refused, also where a
/// search upwards has found it, and also for root, until the user consents: ``ConsentList``.
package struct TrustGate: ~Copyable, Sendable {
    /// The manifest, open for reading. Its text comes from this file alone.
    package let manifest: OpenFile
    /// The check for everything else that the project leads to.
    package let check: TrustCheck

    /// Passes the gate.
    ///
    /// - Parameter path: The manifest's file, as an absolute path.
    package static func open(_ path: String) throws(ConsentError) -> TrustGate {
        do throws(ConsentError) {
            return try open(path, .own)
        } catch .place(.untrusted(.owner(let found, let owner))) {
            let folder = Path.parent(of: path)
            // Consent is given to a folder under its real path.
            guard let real = Files.resolved(folder),
                try ConsentList.hasConsent(to: real, of: owner)
            else { throw .place(.untrusted(.foreignProject(found, owner: owner, folder: folder))) }
            return try open(path, TrustCheck(consented: owner))
        }
    }

    private static func open(
        _ path: String, _ check: TrustCheck
    ) throws(ConsentError) -> TrustGate {
        do throws(TrustError) {
            let place = TrustPlace(path, .manifest)
            return TrustGate(manifest: try check.openFile(place), check: check)
        } catch {
            throw .place(.untrusted(error))
        }
    }
}

/// Checks who can change the modules of a manifest, one after the other.
///
/// It looks at each directory once. A regular file in it needs no further system call, since the caller has its status.
package struct ModuleTrust: Sendable {
    private let check: TrustCheck
    private let directories: [String]
    /// Modules of one directory come one after the other.
    private var last: (directory: String, error: TrustError?)?
    /// The manifest's directories, without links.
    private lazy var roots = directories.compactMap { Files.resolved($0) }

    /// - Parameter directories: The manifest's directories, as absolute paths.
    package init(_ check: TrustCheck, directories: [String]) {
        self.check = check
        self.directories = directories
    }

    /// - Parameters:
    ///   - file: The module's file, as an absolute path.
    ///   - status: The status of that file, through links.
    ///   - directory: The manifest's directory that holds it; `nil` for a file that the manifest lists,
    ///     which may be anywhere.
    ///   - isRegularFile: Whether the directory's listing called it a regular file, and not a link.
    package mutating func error(
        of file: String, _ status: FileStatus, in directory: String?, isRegularFile: Bool
    ) -> TrustError? {
        let place = TrustPlace(file, .module)
        guard let directory else { return check.error(of: place) }
        if last?.directory != directory {
            last = (directory, check.error(of: TrustPlace(directory, .way)))
        }
        if let error = last?.error { return error }
        if isRegularFile { return check.error(of: status, at: place) }
        return TrustCheck.error(ofLink: file, leadingOutOf: roots) ?? check.error(of: place)
    }
}
