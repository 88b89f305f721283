// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesSystem

/// A key to sign modules with.
package struct SigningKey: Sendable {
    private let path: String

    /// Those that are looked for when none is named, as OpenSSH does it.
    private static let usual = ["id_ed25519", "id_ecdsa", "id_rsa"]

    /// - Parameter path: The key's file; `nil` for the usual one of this user.
    package init(_ path: String?) throws(SigningError) {
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
    /// - Returns: The signature's file, beside the other; an older one is replaced in one step.
    package func sign(_ file: String) throws(SigningError) -> String {
        let target = file + SignatureCheck.suffix
        let outcome: SSHKeygen.Outcome
        do throws(SystemError) {
            _ = try OpenFile(reading: path)
            outcome = try SSHKeygen().run(
                ["sign", "-n", SSHKeygen.namespace, "-f", path], input: file, mayAsk: true)
        } catch {
            throw error.action == .run ? .noTool(error) : .system(error)
        }
        guard outcome.isSuccess, let signature = Self.signature(in: outcome.output) else {
            throw .refused(key: path, words: outcome.output)
        }
        do throws(SystemError) {
            try Files.replace(target, with: Array(signature.utf8))
        } catch {
            throw .system(error)
        }
        return target
    }

    /// What is printed between the marks; around it stands what is for people.
    private static func signature(in output: String) -> String? {
        let lines = output.split(separator: "\n")
        guard let first = lines.firstIndex(of: "-----BEGIN SSH SIGNATURE-----"),
            let last = lines.lastIndex(of: "-----END SSH SIGNATURE-----"), first < last
        else { return nil }
        return lines[first...last].joined(separator: "\n") + "\n"
    }
}
