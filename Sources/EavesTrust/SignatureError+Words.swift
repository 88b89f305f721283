// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

package import EavesDiagnostics
import EavesJSON
import EavesSystem

extension SignatureError: Diagnosable {
    package var diagnostics: [Diagnostic] {
        if case .untrustedSigners(let fault) = self { return [fault.diagnostic] }
        return [Diagnostic(message, fix: fix, code: .untrusted)]
    }

    private var message: String {
        switch self {
        case .missing(let path):
            "expected a signature in \(Self.shown(path)), found none"
        case .bad(let path, let words):
            "its signature does not hold: \(Self.oneLine(words)) (\(Self.shown(path)))"
        case .unknownSigner(let key, let signers, let words):
            "signed with the \(key), which \(Self.shown(signers)) does not allow"
                + (words.isEmpty ? "" : ": \(Self.oneLine(words))")
        case .noSigners(let error):
            "cannot tell whose signatures count: "
                + "cannot \(error.action.rawValue) \(Self.shown(error.path)): \(error.errno)"
        case .noTool(let error):
            "cannot check its signature: cannot run 'ssh-keygen': \(error.errno)"
        case .noManifest: "no manifest says whose signatures count"
        case .untrustedSigners: ""
        }
    }

    private var fix: String {
        switch self {
        case .missing(let path):
            "sign it with 'eaves sign \(Self.module(path))', "
                + "or get its '.sig' from whoever built it"
        case .bad(let path, _):
            "put back the module that was signed, "
                + "or sign this one with 'eaves sign \(Self.module(path))'"
        case .unknownSigner(_, let signers, _):
            "if you trust that key, add it to \(Self.shown(signers)) "
                + "as ssh-keygen(1) says under ALLOWED SIGNERS"
        case .noSigners(let error):
            "write the keys that count into \(Self.shown(error.path)) "
                + "as ssh-keygen(1) says under ALLOWED SIGNERS"
        case .noTool: "install OpenSSH's client (Debian: 'openssh-client')"
        case .noManifest: "name one with '--manifest PATH'"
        case .untrustedSigners: ""
        }
    }

    /// The module of a signature.
    private static func module(_ signature: String) -> String {
        let path = String(signature.dropLast(SignatureCheck.suffix.count))
        return Path.relative(path, to: Path.current)
    }

    private static func shown(_ path: String) -> String {
        Path.relative(path, to: Path.current).quoted
    }

    /// What a tool printed, fit for the middle of a message.
    private static func oneLine(_ text: String) -> String {
        text.split(whereSeparator: \.isNewline).joined(separator: "; ").quoted
    }
}
