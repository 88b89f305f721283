// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesJSON
package import EavesDiagnostics
import EavesSystem

extension TrustError {
    /// The words for it, where a module is refused.
    ///
    /// What is wrong with a directory or the manifest is said of that, and so the same for each
    /// module that depends on it: lists say it once.
    package func diagnostic(ofModule id: String, path shown: String, file: String) -> Diagnostic {
        switch self {
        case .writable(let place, _, _) where place.role == .module,
            .owner(let place, _) where place.role == .module,
            .unresolved(let place, _) where place.role == .module:
            let isElsewhere = place.path != file
            let shown = shown.printable + (isElsewhere ? " → \(Self.shown(place.path))" : "")
            return Diagnostic("\(id): \(what) (\(shown))", fix: fix, code: .untrusted)
        case .escapes(let link, let target):
            return Diagnostic(
                "\(id): expected a file in the manifest's directories, "
                    + "found a link that leads out of them, to \(Self.shown(target)) "
                    + "(\(shown.printable))",
                fix: "copy the file there in place of the link, "
                    + "or list it: 'eaves add \(Self.shown(link))'",
                code: .untrusted)
        default:
            return diagnostic
        }
    }

    /// The words for it, without a module.
    package var diagnostic: Diagnostic {
        switch self {
        case .writable(let place, _, _), .owner(let place, _), .unresolved(let place, _):
            Diagnostic("\(Self.shown(place.path)): \(what)", fix: fix, code: .untrusted)
        case .escapes(let link, _):
            Diagnostic("\(Self.shown(link)): \(what)", fix: fix, code: .untrusted)
        }
    }

    private var what: String {
        switch self {
        case .writable(let place, let mode, let group):
            let writers =
                mode & 0o002 != 0 ? "everybody" : "the group '\(Accounts.name(ofGroup: group))'"
            return "expected \(place.role.words) that only its owner can write, "
                + "found that \(writers) can (mode 0\(String(mode, radix: 8)))"
        case .owner(let place, let owner):
            let user = Accounts.current
            let wanted = user == 0 ? "root" : "root or \(Accounts.name(ofUser: user))"
            return "expected \(place.role.words) that belongs to \(wanted), "
                + "found that it belongs to \(Accounts.name(ofUser: owner))"
        case .escapes(_, let target):
            return "leads out of the manifest's directories, to \(Self.shown(target))"
        case .unresolved(_, let error):
            return "cannot see who may change it: \(Self.shown(error.path)): \(error.errno)"
        }
    }

    private var fix: String? {
        switch self {
        case .writable(let place, _, _) where place.role == .store:
            "remove it, and eaves makes it anew: 'rm -r \(Self.shown(place.path))'"
        case .owner(let place, _) where place.role == .store:
            "remove it, and eaves makes it anew: 'rm -r \(Self.shown(place.path))'"
        case .writable(let place, let mode, _) where place.role == .way:
            mode & 0o1000 == 0
                ? "see that all in it is yours, then run 'chmod go-w \(Self.shown(place.path))'"
                : "move what you take from it to a directory that only you can write"
        case .writable(let place, _, _):
            "see that it is what you put there, then run 'chmod go-w \(Self.shown(place.path))'"
        case .owner(let place, _):
            "if you trust it, make it yours: copy it, "
                + "or run 'chown \(Accounts.name(ofUser: Accounts.current)) "
                + "\(Self.shown(place.path))' as root"
        case .escapes, .unresolved: nil
        }
    }

    /// As seen from the working directory, so that the command of a fix can be run.
    private static func shown(_ path: String) -> String {
        let current = Path.current
        return path == current ? "." : Path.relative(path, to: current).printable
    }
}

extension TrustPlace.Role {
    fileprivate var words: String {
        switch self {
        case .module: "a file"
        case .manifest: "a manifest"
        case .allowedSigners: "a list of signers"
        case .source: "a source file"
        case .store: "a store"
        case .way: "a directory"
        }
    }
}
