// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesDiagnostics
import EavesSystem

/// Checks signatures of modules as git checks those of commits: it runs `ssh-keygen -Y` with the
/// list of signers that the manifest names.
package struct SignatureCheck: Sendable {
    /// Follows the path of a module in the path of its signature.
    package static let suffix = ".sig"

    private let signers: String
    private let trust: TrustCheck
    private let tool = SSHKeygen()

    /// - Parameters:
    ///   - signers: The list of the signers to accept, as an absolute path.
    ///   - trust: The check for that list.
    package init(signers: String, _ trust: TrustCheck) {
        self.signers = signers
        self.trust = trust
    }

    /// Finds out who signed the bytes of a file.
    ///
    /// - Parameters:
    ///   - file: The file with the very bytes that matter: the private copy that is loaded next.
    ///   - signature: The signature's file.
    /// - Throws: ``SignatureError`` unless an allowed signer signed these bytes.
    package func signer(
        of file: String, by signature: String
    ) throws(SignatureError) -> Signer {
        try checkSigners()
        guard (try? FileStatus(path: signature))?.kind == .file else { throw .missing(signature) }
        let found = try run(["find-principals", "-f", signers, "-s", signature])
        let name = found.output.split(whereSeparator: \.isNewline).first
            .map { $0.prefix { $0 != "," } }
        guard found.isSuccess, let name, !name.isEmpty else {
            throw try reason(file, signature, found)
        }
        let checked = try run(
            [
                "verify", "-f", signers, "-I", String(name), "-n", SSHKeygen.namespace,
                "-s", signature,
            ], on: file)
        guard checked.isSuccess else { throw .bad(signature, words: checked.output) }
        return Signer(name: String(name), key: Self.key(in: checked.output))
    }

    /// The reason why no signer is found: the signature is not valid, or its key is not allowed.
    private func reason(
        _ file: String, _ signature: String, _ search: SSHKeygen.Outcome
    ) throws(SignatureError) -> SignatureError {
        let checked = try run(
            ["check-novalidate", "-n", SSHKeygen.namespace, "-s", signature], on: file)
        guard checked.isSuccess else { return .bad(signature, words: checked.output) }
        // These words only say that no signer was found.
        let words = search.output.includes("No principal matched") ? "" : search.output
        return .unknownSigner(key: Self.key(in: checked.output), signers: signers, words: words)
    }

    /// Checks that the list of signers can be read, and that only trusted users can change it.
    private func checkSigners() throws(SignatureError) {
        do throws(SystemError) {
            _ = try OpenFile(reading: signers)
        } catch {
            throw .noSigners(error)
        }
        if let error = trust.error(of: TrustPlace(signers, .allowedSigners)) {
            throw .untrustedSigners(error)
        }
    }

    private func run(
        _ arguments: [String], on file: String? = nil
    ) throws(SignatureError) -> SSHKeygen.Outcome {
        do throws(SystemError) {
            return try tool.run(arguments, input: file)
        } catch {
            throw .cannotCheck(error)
        }
    }

    /// `ED25519 key SHA256:…` of `Good "eaves" signature for alice with ED25519 key SHA256:…`.
    private static func key(in output: String) -> String {
        let line = String(output.split(whereSeparator: \.isNewline).first ?? "")
        return line.part(after: " with ").map(String.init) ?? line
    }
}

/// The signer of a module, as OpenSSH names it.
package struct Signer: Hashable, Sendable {
    /// The name in the list of signers, such as `alice@example.com`.
    package let name: String
    /// The kind of the key and its fingerprint, such as `ED25519 key SHA256:…`.
    package let key: String
}
