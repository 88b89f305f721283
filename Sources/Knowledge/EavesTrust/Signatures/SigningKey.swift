// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesSystem

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
        let tool: SSHKeygen
        let outcome: SSHKeygen.Outcome
        do throws(ToolError) {
            tool = try SSHKeygen()
        } catch {
            throw SignatureError(error, missing: SignatureError.cannotSign)
        }
        do throws(SystemError) {
            _ = try OpenFile(reading: path)
            outcome = try tool.run(
                ["sign", "-n", SSHKeygen.namespace, "-f", path], input: file, mayAsk: true)
        } catch {
            throw error.action == .run ? .cannotSign(error) : .system(error)
        }
        guard outcome.isSuccess, let signature = Self.signature(in: outcome.output) else {
            throw .refused(key: path, words: outcome.output)
        }
        do throws(PlaceError) {
            try Output(target).replace(with: Array(signature.utf8))
        } catch {
            switch error {
            case .untrusted(let error): throw .untrusted(error)
            case .system(let error): throw .system(error)
            }
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
