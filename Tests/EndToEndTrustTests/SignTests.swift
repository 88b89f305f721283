// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesTestSupport
import Foundation
import Testing

@testable import EndToEndSupport

@Suite(
    "eaves sign", .onOwnThreads,
    .enabled(if: SigningFixture.isPossible, "needs OpenSSH's 'ssh-keygen'"))
struct SignTests {
    @Test("takes the usual key of the user, and says where it looked")
    func usualKey() throws {
        let fixture = try SigningFixture()
        let home = try TemporaryFolder()
        let nothing = try fixture.workspace.eaves(
            "sign", "users", environment: ["HOME": home.url.path])
        nothing.expectFailure(
            66,
            """
            error: there is no key to sign with in '\(home.url.path)/.ssh'
            fix: name one with '--key KEYFILE', or make one with 'ssh-keygen -t ed25519'
            """)
        try home.write("", to: ".ssh/note")
        try FileManager.default.copyItem(
            atPath: fixture.key, toPath: home.url.path + "/.ssh/id_ed25519")
        let signed = try fixture.workspace.eaves(
            "sign", "users", environment: ["HOME": home.url.path])
        #expect(signed.code == 0, "\(signed)")
        #expect(try fixture.workspace.eaves("inspect", "users").code == 0)
    }
}
