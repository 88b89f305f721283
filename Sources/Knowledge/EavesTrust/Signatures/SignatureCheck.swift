// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesDiagnostics
import EavesProcess
import EavesSystem
import Glibc

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
        try SSHKeygen(orThrow: SignatureError.cannotCheck).run(arguments, input: file)
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

/// Runs OpenSSH's `ssh-keygen`, which makes and checks signatures: Eaves has no cryptography of its own.
struct SSHKeygen: Sendable {
    /// The purpose that a signature names; one that was made for another purpose does not count.
    static let namespace = "eaves"

    typealias Outcome = (isSuccess: Bool, output: String)

    private let executable: String
    private let failure: @Sendable (SystemError) -> SignatureError

    /// Finds the tool, and checks who can change it.
    ///
    /// - Parameter failure: The error for a machine that has none, or where it does not run.
    init(orThrow failure: @escaping @Sendable (SystemError) -> SignatureError)
        throws(SignatureError)
    {
        self.failure = failure
        do throws(ToolError) {
            executable = try ToolFinder(searchPath: Environment.current["PATH"]).find("ssh-keygen")
        } catch .untrusted(let error) {
            throw .place(.untrusted(error))
        } catch {
            throw failure(SystemError(.run, "ssh-keygen", .noSuchFile))
        }
    }

    /// Runs `ssh-keygen -Y`.
    ///
    /// - Parameters:
    ///   - arguments: The words after `-Y`.
    ///   - path: The file for its standard input; empty input if `nil`.
    ///   - mayAsk: Whether it may ask for a passphrase, at the terminal or through an agent.
    func run(
        _ arguments: [String], input path: String? = nil, mayAsk: Bool = false
    ) throws(SignatureError) -> Outcome {
        var command = ChildCommand(
            executable, ["-Y"] + arguments,
            environment: Self.environment(of: .current, mayAsk: mayAsk))
        command.mayAsk = mayAsk
        let report: (ending: ChildEnding, output: [UInt8])
        do throws(SystemError) {
            let file = try OpenFile(reading: path ?? "/dev/null")
            command.input = file.descriptor
            report = try withExtendedLifetime(file) { () throws(SystemError) in
                try ChildProcess.run(command)
            }
        } catch {
            throw failure(error)
        }
        let output = String(decoding: report.output, as: UTF8.self)
        // Its first step is to look up its own user.
        if output.hasPrefix("No user exists for uid") { throw .noAccount(getuid()) }
        return (report.ending.isSuccess, output)
    }

    /// The variables that the tool gets. Checking gets only `PATH`, so that no other variable can
    /// influence the result. Signing also gets those that lead to a terminal or an agent.
    static func environment(of current: Environment, mayAsk: Bool) -> Environment {
        var environment = Environment(["LC_ALL=C"])
        environment["PATH"] = ToolFinder(searchPath: current["PATH"]).searchPath
        guard mayAsk else { return environment }
        for name in [
            "HOME", "TERM", "DISPLAY", "WAYLAND_DISPLAY", "SSH_AUTH_SOCK", "SSH_ASKPASS",
            "SSH_ASKPASS_REQUIRE",
        ] { environment[name] = current[name] }
        return environment
    }
}

package struct SigningKey: Sendable {
    private let path: String

    /// The names to look for when no key is named: OpenSSH looks for the same.
    private static let usual = ["id_ed25519", "id_ecdsa", "id_rsa"]

    /// Takes the key in a file.
    ///
    /// - Parameter path: The key's file; `nil` for the user's usual one.
    /// - Throws: ``SignatureError/noKey(folder:)`` if the user has none of the usual ones.
    package init(_ path: String?) throws(SignatureError) {
        if let path {
            self.path = Path.absolute(path)
            return
        }
        let folder = Path.join(Environment.current["HOME"] ?? "/", ".ssh")
        let found = Self.usual.map { Path.join(folder, $0) }
            .first { (try? FileStatus(path: $0)) != nil }
        guard let found else { throw .noKey(folder: folder) }
        self.path = found
    }

    /// Signs a file's bytes.
    ///
    /// - Returns: The signature's file, next to the signed file. It replaces an older one in one step.
    package func sign(_ file: String) throws(SignatureError) -> String {
        let target = file + SignatureCheck.suffix
        let failure: @Sendable (SystemError) -> SignatureError = {
            $0.action == .run ? .cannotSign($0) : .place(.system($0))
        }
        let tool = try SSHKeygen(orThrow: failure)
        do throws(SystemError) { _ = try OpenFile(reading: path) } catch { throw failure(error) }
        let outcome = try tool.run(
            ["sign", "-n", SSHKeygen.namespace, "-f", path], input: file, mayAsk: true)
        guard outcome.isSuccess, let signature = Self.signature(in: outcome.output) else {
            throw .refused(key: path, words: outcome.output)
        }
        do throws(PlaceError) {
            try Output(target).replace(with: Array(signature.utf8))
        } catch {
            throw .place(error)
        }
        return target
    }

    /// The lines from the first mark to the last. `ssh-keygen` prints lines for people around them.
    private static func signature(in output: String) -> String? {
        let lines = output.split(separator: "\n")
        guard let first = lines.firstIndex(of: "-----BEGIN SSH SIGNATURE-----"),
            let last = lines.lastIndex(of: "-----END SSH SIGNATURE-----"), first < last
        else { return nil }
        return lines[first...last].joined(separator: "\n") + "\n"
    }
}
