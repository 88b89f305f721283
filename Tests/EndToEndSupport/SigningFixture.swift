// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesTestSupport
import Foundation

/// A key, and a workspace that requires signatures and allows that key.
struct SigningFixture {
    static let isPossible: Bool = {
        let found = try? Eaves.shell("command -v ssh-keygen", in: Repository.folder)
        return found?.code == 0
    }()

    let workspace: Workspace
    /// The private key's file.
    let key: String
    private let keys: TemporaryFolder

    init() throws {
        workspace = try Workspace()
        keys = try TemporaryFolder()
        key = try Self.makeKey("key", in: keys)
        try workspace.addToManifest(#""signatures": "required""#)
        try allow("alice@example.com")
        // The other modules are compiled against it.
        try sign("common")
    }

    /// Makes another key.
    func anotherKey() throws -> String { try Self.makeKey("other", in: keys) }

    /// Replaces the list of signers: this name, with the fixture's key or another one.
    func allow(_ name: String, _ key: String? = nil) throws {
        let half = try String(contentsOfFile: (key ?? self.key) + ".pub", encoding: .utf8)
        try workspace.folder.write("\(name) \(half)", to: "allowed_signers")
    }

    func sign(_ operands: String...) throws {
        let outcome = try workspace.eaves(["sign", "--key", key] + operands)
        guard outcome.code == 0 else { throw FixtureError("\(outcome)") }
    }

    /// The key's fingerprint, as `SHA256:…`.
    func fingerprint(_ key: String? = nil) throws -> String {
        let outcome = try Eaves.run(
            URL(fileURLWithPath: "/usr/bin/env"), ["ssh-keygen", "-lf", key ?? self.key],
            in: workspace.url)
        return outcome.output.split(separator: " ").dropFirst().first.map(String.init) ?? ""
    }

    private static func makeKey(_ name: String, in folder: TemporaryFolder) throws -> String {
        let path = folder.url.appendingPathComponent(name).path
        let outcome = try Eaves.run(
            URL(fileURLWithPath: "/usr/bin/env"),
            ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "test", "-f", path],
            in: folder.url)
        guard outcome.code == 0 else { throw FixtureError("\(outcome)") }
        return path
    }
}
