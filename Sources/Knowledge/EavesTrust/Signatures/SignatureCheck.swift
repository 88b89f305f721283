// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesDiagnostics
import EavesProcess
import EavesSystem

/// Checks signatures of modules as git checks those of commits: it runs `ssh-keygen -Y` with each of the
/// lists of signers, and with the revocation lists.
package struct SignatureCheck: Sendable {
    /// The text that follows the path of a module in the path of its signature.
    package static let suffix = ".sig"

    private let lists: SignerLists

    package init(_ lists: SignerLists) {
        self.lists = lists
    }

    /// Finds out who signed the bytes of a file.
    ///
    /// - Parameter file: The file with the very bytes that matter: the private copy that is loaded next.
    /// - Returns: The signer, by the name in the project's list if there is one.
    /// - Throws: ``SignatureError`` unless every list allows the key that signed these bytes, none revokes it,
    ///   and its signer may sign modules of this id.
    package func signer(
        of file: String, by signature: String, for id: String
    ) throws(SignatureError) -> Signer {
        let allowing = try lists.allowing()
        let revoking = try lists.revoking()
        guard (try? FileStatus(path: signature))?.kind == .file else { throw .missing(signature) }
        var first: Signer?
        // A run takes one list of each kind.
        for index in 0..<max(allowing.count, revoking.count) {
            let signer = try signer(
                of: file, by: signature, in: allowing[min(index, allowing.count - 1)],
                revoking: index < revoking.count ? revoking[index] : nil)
            first = first ?? signer
        }
        guard let first else { throw .missing(signature) }
        try lists.check(first, for: id)
        return first
    }

    private func signer(
        of file: String, by signature: String, in signers: String, revoking: String?
    ) throws(SignatureError) -> Signer {
        let found = try run(["find-principals", "-f", signers, "-s", signature])
        let name = found.output.split(whereSeparator: \.isNewline).first
            .map { $0.prefix { $0 != "," } }
        guard found.isSuccess, let name, !name.isEmpty else {
            throw try reason(file, signature, signers, found)
        }
        let verify = [
            "verify", "-f", signers, "-I", String(name), "-n", SSHKeygen.namespace, "-s", signature,
        ]
        let checked = try run(verify + (revoking.map { ["-r", $0] } ?? []), on: file)
        if checked.isSuccess {
            return Signer(name: String(name), key: Self.key(in: checked.output))
        }
        // The tool does not say that a key is revoked.
        if let revoking {
            let otherwise = try run(verify, on: file)
            if otherwise.isSuccess {
                throw .revoked(key: Self.key(in: otherwise.output), list: revoking)
            }
        }
        throw .bad(signature, words: checked.output)
    }

    /// The reason why no signer is found: the signature is not valid, or its key is not allowed.
    private func reason(
        _ file: String, _ signature: String, _ signers: String, _ search: SSHKeygen.Outcome
    ) throws(SignatureError) -> SignatureError {
        let checked = try run(
            ["check-novalidate", "-n", SSHKeygen.namespace, "-s", signature], on: file)
        guard checked.isSuccess else { return .bad(signature, words: checked.output) }
        // These words only say that no signer was found.
        let words = search.output.includes("No principal matched") ? "" : search.output
        return .unknownSigner(key: Self.key(in: checked.output), signers: signers, words: words)
    }

    private func run(
        _ arguments: [String], on file: String? = nil
    ) throws(SignatureError) -> SSHKeygen.Outcome {
        let tool: SSHKeygen
        do throws(ToolError) {
            tool = try SSHKeygen()
        } catch {
            throw SignatureError(error, missing: SignatureError.cannotCheck)
        }
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

/// Runs OpenSSH's `ssh-keygen`, which makes and checks signatures: Eaves has no cryptography of its
/// own.
struct SSHKeygen: Sendable {
    /// The purpose that a signature names; one that was made for another purpose does not count.
    static let namespace = "eaves"

    struct Outcome {
        let isSuccess: Bool
        let output: String
    }

    private let executable: String

    /// Finds the tool, and checks who can change it.
    init() throws(ToolError) {
        executable = try ToolFinder(searchPath: Environment.current["PATH"]).find("ssh-keygen")
    }

    /// Runs `ssh-keygen -Y`.
    ///
    /// - Parameters:
    ///   - arguments: The words after `-Y`.
    ///   - path: The file for its standard input; empty input if `nil`.
    ///   - mayAsk: Whether it may ask for a passphrase, at the terminal or through an agent.
    func run(
        _ arguments: [String], input path: String? = nil, mayAsk: Bool = false
    ) throws(SystemError) -> Outcome {
        var command = ChildCommand(
            executable, ["-Y"] + arguments,
            environment: Self.environment(of: .current, mayAsk: mayAsk))
        command.mayAsk = mayAsk
        let report: (ending: ChildEnding, output: [UInt8])
        if let path {
            let file = try OpenFile(reading: path)
            command.input = file.descriptor
            report = try Self.start(command, reading: file)
        } else {
            report = try ChildProcess.run(command)
        }
        return Outcome(
            isSuccess: report.ending.isSuccess,
            output: String(decoding: report.output, as: UTF8.self))
    }

    /// Borrows the file, so that it stays open until the child has ended.
    private static func start(
        _ command: ChildCommand, reading file: borrowing OpenFile
    ) throws(SystemError) -> (ending: ChildEnding, output: [UInt8]) {
        try ChildProcess.run(command)
    }

    /// The variables that the tool gets. Checking gets only `PATH`, so that no other variable can
    /// influence the result. Signing also gets those that lead to a terminal or an agent.
    static func environment(of current: Environment, mayAsk: Bool) -> Environment {
        var kept: [String] = []
        if mayAsk {
            kept += ["HOME", "TERM", "DISPLAY", "WAYLAND_DISPLAY"]
            kept += ["SSH_AUTH_SOCK", "SSH_ASKPASS", "SSH_ASKPASS_REQUIRE"]
        }
        var environment = Environment(["LC_ALL=C"])
        environment["PATH"] = ToolFinder(searchPath: current["PATH"]).searchPath
        for name in kept {
            if let value = current[name] { environment[name] = value }
        }
        return environment
    }
}
