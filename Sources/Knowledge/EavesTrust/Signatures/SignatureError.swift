// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

package import EavesDiagnostics
import EavesJSON
package import EavesSystem

/// The reason why a module's signature does not count, or why a module could not be signed.
package enum SignatureError: Error, Hashable, Sendable, Diagnosable {
    // Checking a signature.

    case missing(String)
    /// The file is not a signature of these bytes, or not for modules; in OpenSSH's words.
    case bad(String, words: String)
    /// The signature is valid, but the list of signers does not allow its key for modules; with
    /// OpenSSH's words about the list.
    case unknownSigner(key: String, signers: String, words: String)
    /// The signature counts, but the manifest binds its signer to ids that do not include this one; with the patterns of
    /// the signer's ids, and the signers who may sign this one.
    case otherIDs(Signer, String, may: [String], others: [String])
    /// The list of signers is missing or cannot be read.
    case noSigners(SystemError)
    /// The signature is valid, but a revocation list has its key, or cannot be understood.
    case revoked(key: String, list: String)
    /// The revocation list is missing or cannot be read.
    case noRevokedKeys(SystemError)
    case noManifest
    /// `ssh-keygen` could not be run to check the signature.
    case cannotCheck(SystemError)
    /// `ssh-keygen` neither checks nor signs for a user without an account: the signature may be valid or not.
    case noAccount(UInt32)

    // Signing a module.

    /// No key was named, and this folder has none of the usual names.
    case noKey(folder: String)
    /// `ssh-keygen` did not sign with this key, in its words.
    case refused(key: String, words: String)
    case cannotSign(SystemError)

    // Checking or signing.

    /// Others can change the list of signers, a revocation list or `ssh-keygen`, or can have put a link where the
    /// signature would be written; or the system does not let a file be used.
    case place(PlaceError)

    package var diagnostic: Diagnostic {
        switch self {
        case .place(let error): error.diagnostic
        default: Diagnostic(message, fix: fix, code: code)
        }
    }

    private var message: String {
        switch self {
        case .missing(let path):
            "expected a signature in \(Self.shown(path)), found none"
        case .bad(let path, let words):
            "its signature is not valid: \(Self.oneLine(words)) (\(Self.shown(path)))"
        case .unknownSigner(let key, let signers, let words):
            "signed with the \(key), which \(Self.shown(signers)) does not allow"
                + (words.isEmpty ? "" : ": \(Self.oneLine(words))")
        case .otherIDs(let signer, let id, let may, let others):
            "expected a signer whom 'signers' in the manifest allows for \(id.quoted) "
                + "(\(others.isEmpty ? "none" : others.abridged(by: ", "))), found \(signer.name) "
                + "with the \(signer.key), who may sign \(may.isEmpty ? "none" : may.abridged(by: ", "))"
        case .noSigners(let error):
            "cannot tell whose signatures count: "
                + "cannot \(error.action.rawValue) \(Self.shown(error.path)): \(error.errno)"
        case .revoked(let key, let list):
            "signed with the \(key), which \(Self.shown(list)) revokes"
        case .noRevokedKeys(let error):
            "cannot tell which keys are revoked: "
                + "cannot \(error.action.rawValue) \(Self.shown(error.path)): \(error.errno)"
        case .noManifest: "no manifest says whose signatures count"
        case .cannotCheck(let error):
            "cannot check its signature: cannot run 'ssh-keygen': \(error.errno)"
        case .noAccount(let user):
            "cannot check or make a signature: 'ssh-keygen' does not run for the user \(user), "
                + "who has no account on this system"
        case .noKey(let folder): "there is no key to sign with in \(folder.quoted)"
        case .refused(let key, let words):
            "cannot sign with \(Self.shown(key)): \(Self.oneLine(words))"
        case .cannotSign(let error): "cannot run 'ssh-keygen': \(error.errno)"
        case .place: ""
        }
    }

    private var fix: String {
        switch self {
        case .missing(let path):
            "sign it with 'eaves sign \(Self.module(path))', "
                + "or get its '.sig' from its author"
        case .bad(let path, _):
            "put back the module that was signed, "
                + "or sign this one with 'eaves sign \(Self.module(path))'"
        case .unknownSigner(_, let signers, _):
            "if you trust that key, add it to \(Self.word(signers)) "
                + "as ssh-keygen(1) says under ALLOWED SIGNERS"
        case .otherIDs(let signer, let id, _, _):
            "put the module back that was there; if \(signer.name) may sign it, add \(id.quoted) to "
                + "signers.\(signer.name.quoted) in the manifest"
        case .noSigners(let error):
            "write the allowed keys into \(Self.word(error.path)) "
                + "as ssh-keygen(1) says under ALLOWED SIGNERS"
        case .revoked(_, let list):
            "sign it with another key; if the list lacks that key, it is damaged: "
                + "write it anew as ssh-keygen(1) says under KEY REVOCATION LISTS (\(Self.word(list)))"
        case .noRevokedKeys(let error):
            "write the revoked keys into \(Self.word(error.path)) with 'ssh-keygen -k', "
                + "or remove 'revokedKeys' from the manifest"
        case .noManifest: "name one with '--manifest PATH'"
        case .cannotCheck, .cannotSign:
            "install OpenSSH's client (Debian: 'openssh-client')"
        case .noAccount(let user):
            "add the line 'eaves:x:\(user):0::/:/sbin/nologin' to /etc/passwd, with the user's group in "
                + "place of 0, in the image or when the container starts"
        case .noKey:
            "name one with '--key KEYFILE', or make one with 'ssh-keygen -t ed25519'"
        case .refused:
            "name a private key, or a public key whose private key the SSH agent holds"
        case .place: ""
        }
    }

    private var code: FailureCode {
        switch self {
        case .noKey, .cannotSign: .notFound
        case .refused: .badData
        default: .untrusted
        }
    }

    /// The path of the module that a signature belongs to.
    private static func module(_ signature: String) -> String {
        let path = String(signature.dropLast(SignatureCheck.suffix.count))
        return Path.relative(path, to: Path.current).shellPath
    }

    /// A path for a fix: in quotes that a shell takes, whatever is in it.
    private static func word(_ path: String) -> String {
        let path = Path.relative(path, to: Path.current)
        return path.shellPath == path ? path.quoted : path.shellPath
    }

    private static func shown(_ path: String) -> String {
        Path.relative(path, to: Path.current).quoted
    }

    /// The output of a tool, ready for the middle of a message.
    private static func oneLine(_ text: String) -> String {
        text.split(whereSeparator: \.isNewline).joined(separator: "; ").quoted
    }
}
