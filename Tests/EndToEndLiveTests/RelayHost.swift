// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesTestSupport
import Foundation
import Glibc
import Testing

@testable import EndToEndSupport

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

    /// A build of the module that keeps the number.
    static func build(_ name: String) throws -> URL {
        let source = "CountsLater/CountsLaterModule.swift"
        let edits: [String: (old: String, new: String)] = [
            "first": (#""call""#, #""first""#), "second": (#""call""#, #""second""#),
            "fails": (
                "let counter = Counter()", "throw UsageError(\"no\")\nlet counter = Counter()"
            ),
            "restoresNothing": ("guard let number", "throw UsageError(\"no\")\nguard let number"),
            "keepsNothing": ("registrar.lifecycle(counter)", ""),
        ]
        let edit = try #require(edits[name])
        var all = [BuiltProject.Edit(source, edit.old, edit.new)]
        if name == "fails" {
            all.append(
                .init(
                    source, "register(in registrar: any Registrar)",
                    "register(in registrar: any Registrar) throws"))
        }
        let project = try BuiltProject(
            "counts-later-\(name)", manifest: #"{ "manifest": 1 }"#,
            modules: ["Tests/Fixtures/CountsLater"],
            files: [BuiltProject.sample.get().file("common")], edits: all)
        return URL(fileURLWithPath: project.file("counts-later"))
    }

    /// A host that takes calls.
    func launch() throws -> LiveEaves {
        let host = try LiveEaves(
            ["launch", "--no-build", "--live", "relay", socket], in: workspace.url,
            environment: ["SWIFT_BACKTRACE": "enable=no"])
        try Patience.wait(for: "the socket") { access(socket, F_OK) == 0 }
        return host
    }
}
