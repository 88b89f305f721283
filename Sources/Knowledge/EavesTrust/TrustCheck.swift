// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

package import EavesDiagnostics
package import EavesSystem

/// Checks who can change the files of one project, and opens those that pass.
///
/// ``TrustRule`` says what is wrong with a file; ``TrustWalk`` looks at the way to it. A file that is about
/// to be used and is not there fails the check, too.
package struct TrustCheck: Hashable, Sendable {
    package let owners: TrustedOwners

    /// A check that trusts root and the user of this process.
    package static let own = TrustCheck(owners: .own)

    /// Follows a path, and checks every directory on it, every link and its end.
    package func follow(_ place: TrustPlace) throws(TrustError) -> TrustedFile {
        try TrustWalk.follow(place, owners)
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
            let error = TrustRule.error(of: try opened.status(), at: end, owners, seenAs: seen)
            if let error { throw error }
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

    /// The error of a file whose status is known already, and whose directory is trusted.
    package func error(of status: FileStatus, at place: TrustPlace) -> TrustError? {
        TrustRule.error(of: status, at: place, owners, seenAs: place.path)
    }

    func error(
        of status: FileStatus, at place: TrustPlace, _ folder: borrowing OpenFolder
    ) -> TrustError? {
        TrustRule.error(
            of: status, at: place, owners, seenAs: PathHandle.ownPath(of: folder.descriptor))
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

    private init(_ place: TrustPlace, _ check: TrustCheck) throws(TrustError) {
        manifest = try check.openFile(place)
        self.check = check
    }

    /// Passes the gate.
    ///
    /// - Parameter path: The manifest's file, as an absolute path.
    package static func open(_ path: String) throws(TrustGateError) -> TrustGate {
        let place = TrustPlace(path, .manifest)
        do throws(TrustError) {
            return try TrustGate(place, .own)
        } catch {
            guard case .owner(let found, let owner) = error else { throw .untrusted(error) }
            guard try hasConsent(to: Path.parent(of: path), of: owner) else {
                throw .untrusted(
                    .foreignProject(found, owner: owner, folder: Path.parent(of: path)))
            }
            let check = TrustCheck(owners: TrustedOwners(consented: owner))
            do throws(TrustError) {
                return try TrustGate(place, check)
            } catch {
                throw .untrusted(error)
            }
        }
    }

    /// Consent is given to a folder under its real path.
    private static func hasConsent(
        to folder: String, of owner: UInt32
    ) throws(TrustGateError) -> Bool {
        guard let folder = Files.resolved(folder) else { return false }
        do throws(ConsentError) {
            return try ConsentList.hasConsent(to: folder, of: owner)
        } catch {
            throw .consents(error)
        }
    }
}

/// The reason why a command stops before it reads anything of a project.
package enum TrustGateError: Error, Hashable, Sendable {
    case untrusted(TrustError)
    /// The manifest belongs to another user, and the lists of consents cannot be read.
    case consents(ConsentError)
}

extension TrustGateError: Diagnosable {
    package var diagnostic: Diagnostic {
        switch self {
        case .untrusted(let error): error.diagnostic
        case .consents(let error): error.diagnostic
        }
    }
}

/// Checks who can change the modules of a manifest, one after the other.
///
/// It looks at each directory once. A regular file in it needs no further system call, since the caller
/// has its status.
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
