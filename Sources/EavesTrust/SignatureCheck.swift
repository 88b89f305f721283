// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesDiagnostics
package import EavesManifest
import EavesSystem

/// Checks signatures of modules, as git checks those of commits: by `ssh-keygen -Y`, against a list
/// of signers that the manifest names.
package struct SignatureCheck: Sendable {
    /// Behind a module's path.
    package static let suffix = ".sig"

    private let signers: String
    private let trust: TrustCheck
    private let tool = SSHKeygen()

    package init(_ manifest: Manifest) {
        signers = manifest.allowedSigners
        trust = TrustCheck(manifest)
    }

    /// Who signed the bytes of a file.
    ///
    /// - Parameters:
    ///   - file: What holds the very bytes that are meant: the copy that is about to be loaded.
    ///   - signature: The signature's file.
    /// - Throws: ``SignatureError`` if nobody whom the list of signers allows did.
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

    /// Why nobody is found: the signature does not hold at all, or its key is not allowed.
    private func reason(
        _ file: String, _ signature: String, _ search: SSHKeygen.Outcome
    ) throws(SignatureError) -> SignatureError {
        let checked = try run(
            ["check-novalidate", "-n", SSHKeygen.namespace, "-s", signature], on: file)
        guard checked.isSuccess else { return .bad(signature, words: checked.output) }
        // This says no more than that nobody was found.
        let words = search.output.includes("No principal matched") ? "" : search.output
        return .unknownSigner(key: Self.key(in: checked.output), signers: signers, words: words)
    }

    private func checkSigners() throws(SignatureError) {
        do throws(SystemError) {
            _ = try OpenFile(reading: signers)
        } catch {
            throw .noSigners(error)
        }
        if let fault = trust.error(of: TrustPlace(signers, .allowedSigners)) {
            throw .untrustedSigners(fault)
        }
    }

    private func run(
        _ arguments: [String], on file: String? = nil
    ) throws(SignatureError) -> SSHKeygen.Outcome {
        do throws(SystemError) {
            return try tool.run(arguments, input: file)
        } catch {
            throw .noTool(error)
        }
    }

    /// `ED25519 key SHA256:…` of `Good "eaves" signature for alice with ED25519 key SHA256:…`.
    private static func key(in output: String) -> String {
        let line = output.split(whereSeparator: \.isNewline).first ?? ""
        guard let words = line.range(of: " with ") else { return String(line) }
        return String(line[words.upperBound...])
    }
}

extension Substring {
    /// The first place of a text.
    fileprivate func range(of text: String) -> Range<Index>? {
        var start = startIndex
        while start < endIndex {
            if self[start...].hasPrefix(text) {
                return start..<index(start, offsetBy: text.count)
            }
            start = index(after: start)
        }
        return nil
    }
}
