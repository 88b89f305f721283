// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesTestSupport
import Foundation
import Testing

@testable import EndToEndSupport

/// The two-minute tape: the same way through the shipped application, at each place where it can be used, while
/// the user service is exchanged from memory to SQLite to REST.
@Suite("the two-minute tape is the same", .onOwnThreads, .patiently)
struct ApplicationTapeTests {
    /// The other end of `users-rest`: a process of its own.
    private let server: UsersProcess
    private let application: ShippedApplication
    /// Where `users-sqlite` and `users-rest` run in processes of their own, which may do no more than they need.
    private let isolated: ShippedApplication

    init() throws {
        let server = try UsersProcess()
        self.server = server
        // A busy machine may answer late, which the tape does not show.
        let settings: [String: Any] = ["url": server.address, "timeout": 120]
        application = try ShippedApplication { manifest in
            var modules = manifest["modules"] as? [String: Any] ?? [:]
            modules["users-rest"] = ["settings": settings]
            manifest["modules"] = modules
        }
        let endpoint = String(server.address.dropFirst("http://".count))
        isolated = try ShippedApplication { manifest in
            var modules = manifest["modules"] as? [String: Any] ?? [:]
            modules["users-rest"] = [
                "settings": settings, "isolation": "process",
                "permissions": ["connect": [endpoint]],
            ]
            modules["users-sqlite"] = [
                "settings": ["path": "data/users.sqlite"], "isolation": "process",
                "permissions": ["write": ["data"]],
            ]
            manifest["modules"] = modules
        }
        try isolated.folder.write("", to: "data/.keep")
    }

    @Test("from a pipe, with isolated services")
    func plainIsolated() throws {
        try PlainPlayer(application: isolated).play()
    }

    @Test("from a pipe")
    func plain() throws {
        try PlainPlayer(application: application).play()
    }

    @Test(
        "on a terminal of 80 columns and 24 lines",
        .enabled(if: TerminalWindow.isPossible, "needs tmux and bash"))
    func terminal() throws {
        try TerminalPlayer(application).play()
    }

    @Test(
        "in Chromium",
        .enabled(if: ServedScreens.isPossible, "needs libmicrohttpd12"),
        .enabled(if: Browser.isPossible, "needs chromium and chromium-driver"))
    func browser() throws {
        try BrowserPlayer(application).play()
    }
}
