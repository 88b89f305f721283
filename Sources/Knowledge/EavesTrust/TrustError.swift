// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

package import EavesDiagnostics
import EavesJSON
package import EavesSystem

/// The reason why a file is not trusted: someone else may have put it there, or may change it.
package enum TrustError: Error, Hashable, Sendable, Diagnosable {
    case writable(TrustPlace, mode: UInt32, group: UInt32)
    /// Its access control list lets another user than its owner write it.
    case accessList(TrustPlace, AccessList.Writer)
    /// It belongs to the user of this number, who is neither root nor the current user.
    case owner(TrustPlace, UInt32)
    /// It belongs to a user without a number in this user namespace. If it is to be trusted, the folder has to be named.
    case hidden(TrustPlace, folder: String)
    /// It is on a file system that a program of the user of this number serves, who is neither root nor the current
    /// user. That program says itself who owns what.
    case served(TrustPlace, by: UInt32)
    /// The manifest, or a directory on the way to it, belongs to the user of this number, and the current
    /// user has not consented to use the modules of that folder.
    case foreignProject(TrustPlace, owner: UInt32, folder: String)
    /// It is not a regular file, and nothing else is opened.
    case notAFile(TrustPlace, FileStatus.Kind)
    /// A link stands where only a real directory may stand.
    case link(TrustPlace)
    /// A link in one of the manifest's directories leads out of all of them, and the manifest does not list it.
    case escapes(link: String, target: String)
    case unresolved(TrustPlace, SystemError)

    /// The message where a module is refused.
    ///
    /// A problem of a directory or of the manifest is worded without the module, so it is the same
    /// for each module that depends on it: lists show it once.
    package func diagnostic(ofModule id: String, path shown: String, file: String) -> Diagnostic {
        if case .notAFile = self { return diagnostic }
        guard place.role == .module else { return diagnostic }
        if case .writable(_, let mode, let group) = self,
            let folder = Self.sharedFolder(of: place.path, mode, group)
        {
            return Diagnostic(
                "\(Self.shown(folder)): expected modules that only their owner can write, found that "
                    + "others can write several (mode 0\(String(mode, radix: 8)))",
                fix: "check that they are what you put there, then run 'chmod go-w "
                    + "\(Self.word(folder))/*.so'", code: .untrusted)
        }
        let isElsewhere = place.path != file
        let shown = shown + (isElsewhere ? " → \(Self.shown(place.path))" : "")
        return Diagnostic("\(id): \(what) (\(shown))", fix: fix, code: .untrusted)
    }

    package var diagnostic: Diagnostic {
        Diagnostic("\(Self.shown(place.path)): \(what)", fix: fix, code: .untrusted)
    }

    private var place: TrustPlace {
        switch self {
        case .writable(let place, _, _), .accessList(let place, _), .owner(let place, _),
            .hidden(let place, _), .served(let place, _), .foreignProject(let place, _, _),
            .notAFile(let place, _), .link(let place), .unresolved(let place, _):
            place
        case .escapes(let link, _): TrustPlace(link, .module)
        }
    }

    private var what: String {
        switch self {
        case .writable(let place, let mode, let group):
            let writers =
                mode & 0o002 != 0 ? "everybody" : "the group '\(Accounts.name(ofGroup: group))'"
            return "expected \(place.role.words) that only its owner can write, "
                + "found that \(writers) can (mode 0\(String(mode, radix: 8)))"
        case .accessList(let place, let writer):
            let name =
                switch writer {
                case .user(let id): "the user '\(Accounts.name(ofUser: id))'"
                case .group(let id): "the group '\(Accounts.name(ofGroup: id))'"
                }
            return "expected \(place.role.words) that only its owner can write, "
                + "found that its access control list lets \(name) write it"
        case .owner(let place, let owner), .foreignProject(let place, let owner, _):
            let user = Accounts.current
            let wanted = user == 0 ? "root" : "root or \(Accounts.name(ofUser: user))"
            return "expected \(place.role.words) that belongs to \(wanted), "
                + "found that it belongs to \(Accounts.name(ofUser: owner))"
        case .hidden(let place, _):
            return "expected \(place.role.words) whose owner has a number in this user namespace, "
                + "found one without"
        case .served(let place, let user):
            return "expected \(place.role.words) whose owner the system knows, "
                + "found a file system that a program of \(Accounts.name(ofUser: user)) serves"
        case .escapes(_, let target):
            return "expected a file in the manifest's directories, "
                + "found a link that leads out of them, to \(Self.shown(target))"
        case .notAFile(_, let kind):
            return "expected a file, found a \(kind.rawValue)"
        case .link(let place) where place.role == .output:
            return "expected no link that another user can have put there, found one"
        case .link(let place):
            return "expected \(place.role.words) that is not a link, found a link"
        case .unresolved(_, let error):
            return "cannot tell who can change it: \(Self.shown(error.path)): \(error.errno)"
        }
    }

    private var fix: String? {
        let isStore = place.role == .store
        let isFolder = isStore || place.role == .way
        let check = "check that \(isFolder ? "all in it is yours" : "it is what you put there")"
        return switch self {
        case .writable(let place, let mode, _):
            (place.role == .way && Files.mountTable.includes(" \(place.path) r")
                ? "if no other user of the machine reaches this mount, as in a container, set "
                    + "'\(Self.naming(place.path))'; else " : "")
                + (place.role == .way && mode & 0o1000 != 0
                    ? "move your files from it to a directory that only you can write"
                    : "\(check), then run 'chmod \(isStore ? "-R go=" : "go-w") \(Self.word(place.path))'")
        case .accessList(let place, _):
            "\(check), then run 'setfacl \(isStore ? "-R " : "")-b \(Self.word(place.path))'"
        case .foreignProject(_, let owner, let folder):
            "if you trust \(Accounts.name(ofUser: owner)) and what is in that folder, "
                + "run 'eaves trust \(Self.word(folder))'"
        case .owner(let place, _):
            "if you trust it, make it yours: copy it, "
                + "or run 'chown \(isStore ? "-R " : "")\(Accounts.name(ofUser: Accounts.current)) "
                + "\(Self.word(place.path))' as root"
        case .hidden(_, let folder):
            "if you trust whom it belongs to outside of the namespace, set '\(Self.naming(folder))'; "
                + "else copy what you need to a directory of your own"
        case .served: "copy what you need from it to a directory of your own"
        case .link(let place) where place.role == .output: "remove it, or name another file"
        case .link(let place):
            "remove the link: 'rm \(Self.word(place.path))'; if it led to your store, move that there"
        case .escapes(let link, _):
            "copy the file there in place of the link, or list it: 'eaves add \(Self.word(link))'"
        case .notAFile, .unresolved: nil
        }
    }

    /// The setting that names a mount point, and those that are named already.
    private static func naming(_ path: String) -> String {
        let named = Path.absolute(inList: Environment.value(of: TrustCheck.variable) ?? "")
        return "\(TrustCheck.variable)=\((named + [path]).chained(by: ":").shellPath)"
    }

    /// The folder of a module, if several have its permissions there: one message and one command are about all.
    private static func sharedFolder(of file: String, _ mode: UInt32, _ group: UInt32) -> String? {
        let folder = Path.parent(of: file)
        let alike = Folder.names(in: folder).lazy.filter { name in
            let status = try? FileStatus(path: Path.join(folder, name))
            return name.hasSuffix(".so") && status?.mode == mode && status?.group == group
        }
        return alike.prefix(2).count == 2 ? folder : nil
    }

    private static func shown(_ path: String) -> String {
        let current = Path.current
        return path == current ? "." : Path.relative(path, to: current)
    }

    /// A path relative to the working directory, where the command of a fix is run.
    private static func word(_ path: String) -> String { shown(path).shellPath }
}

extension TrustPlace.Role {
    fileprivate var words: String {
        switch self {
        case .module: "a file"
        case .library: "a library"
        case .tool: "a program"
        case .manifest: "a manifest"
        case .allowedSigners: "a list of signers"
        case .revokedKeys: "a list of revoked keys"
        case .source: "a source file"
        case .consents: "a list of trusted folders"
        case .store: "a store"
        case .output: "a file"
        case .way, .workplace: "a directory"
        }
    }
}
