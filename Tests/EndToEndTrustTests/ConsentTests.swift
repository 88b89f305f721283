// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesTestSupport
import Foundation
import Glibc
import Testing

@testable import EndToEndSupport

@Suite(
    "consent to another user's modules", .onOwnThreads, .enabled(if: geteuid() == 0, "needs root"))
struct ConsentTests {
    private static let stranger: uid_t = 54321
    private let workspace: Workspace
    private let configuration: TemporaryFolder

    init() throws {
        workspace = try Workspace()
        configuration = try TemporaryFolder()
        _ = try Eaves.shell("chown -R \(Self.stranger) .", in: workspace.url)
    }

    private func eaves(_ arguments: String...) throws -> Eaves.Outcome {
        try workspace.eaves(
            arguments, environment: ["XDG_CONFIG_HOME": configuration.url.path])
    }

    @Test("is asked for, given, listed, used and taken back")
    func consent() throws {
        let refused = try eaves("launch", "users")
        #expect(refused.code == 77)
        #expect(
            refused.errors.contains(
                "if you trust 54321 and what is in that folder, run 'eaves trust ."), "\(refused)")
        let trusted = try eaves("trust", ".")
        #expect(trusted.code == 0 && trusted.errors == "trusted ., which belongs to 54321\n")
        #expect(try eaves("trust").output.contains("54321"))
        #expect(try eaves("trust", "--json").output.contains("\"owner\": 54321"))
        let launched = try eaves("launch", "users")
        #expect(launched.output == "1 Alice\n2 Bob\n", "\(launched)")
        // Root makes no store in another user's folder.
        #expect(!FileManager.default.fileExists(atPath: workspace.path(".eaves")))
        #expect(try eaves("trust", "--remove", ".").code == 0)
        #expect(try eaves("launch", "users").code == 77)
        #expect(try eaves("trust", "--remove", ".").code == 66)
    }
}
