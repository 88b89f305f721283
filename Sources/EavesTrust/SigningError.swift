// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

package import EavesDiagnostics
import EavesJSON
package import EavesSystem

/// Why a module was not signed.
package enum SigningError: Error, Hashable, Sendable {
    /// No key was named, and none of the usual ones is in this folder.
    case noKey(folder: String)
    /// `ssh-keygen` does not sign with this key, in its words.
    case refused(key: String, words: String)
    /// `ssh-keygen` cannot be run.
    case noTool(SystemError)
    case system(SystemError)
}

extension SigningError: Diagnosable {
    package var diagnostics: [Diagnostic] {
        switch self {
        case .noKey(let folder):
            [
                Diagnostic(
                    "there is no key to sign with in \(folder.quoted)",
                    fix: "name one with '--key KEYFILE', or make one with "
                        + "'ssh-keygen -t ed25519'",
                    code: .notFound)
            ]
        case .refused(let key, let words):
            [
                Diagnostic(
                    "cannot sign with \(Path.relative(key, to: Path.current).quoted): "
                        + words.split(whereSeparator: \.isNewline).joined(separator: "; ").quoted,
                    fix: "name a private key, or a public one that the SSH agent has the other "
                        + "half of",
                    code: .badData)
            ]
        case .noTool(let error):
            [
                Diagnostic(
                    "cannot run 'ssh-keygen': \(error.errno)",
                    fix: "install OpenSSH's client (Debian: 'openssh-client')", code: .notFound)
            ]
        case .system(let error): error.diagnostics
        }
    }
}
