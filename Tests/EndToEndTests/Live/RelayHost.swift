// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesTestSupport
import Foundation
import Glibc

/// A workspace whose feature `relay` passes calls on to a service that keeps a number, and is loaded with the first call.
struct RelayHost {
    let workspace: Workspace
    var socket: String { workspace.url.appendingPathComponent("s").path }

    init() throws {
        workspace = try Workspace(modules: ["common"])
        for id in ["relays-calls", "counts-later"] {
            try workspace.drop(SwiftFixtures.module(id))
        }
        try edit(0)
    }

    /// Gives the module that keeps the number other settings.
    func edit(_ number: Int) throws {
        try workspace.manifest(
            """
            { "manifest": 1, "bindings": { "UserService": "counts-later" }, "modules": {
              "counts-later": { "settings": { "edit": \(number) } } } }
            """)
    }

    /// A host that takes calls.
    func launch() throws -> LiveEaves {
        let host = try LiveEaves(
            arguments: ["launch", "--no-build", "--live", "relay", socket], in: workspace.url,
            environment: ["SWIFT_BACKTRACE": "enable=no"])
        try Patience.wait(for: "the socket") { access(socket, F_OK) == 0 }
        return host
    }
}
