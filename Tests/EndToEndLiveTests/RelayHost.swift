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
    ///
    /// - Parameters:
    ///   - isIsolated: Whether it runs in a process of its own.
    ///   - provider: The module that the service is bound to.
    ///   - losesState: Whether the module's state may be lost.
    ///   - more: Further lines of the manifest.
    func edit(
        _ number: Int, isolated isIsolated: Bool = false, boundTo provider: String = "counts-later",
        losingState losesState: Bool = false, more: String = ""
    ) throws {
        let isolation = isIsolated ? #""isolation": "process","# : ""
        let loss = losesState ? #""discardState": true,"# : ""
        try workspace.manifest(
            """
            { "manifest": 1, "bindings": { "UserService": "\(provider)" }, \(more) "modules": {
              "counts-later": { \(isolation) \(loss) "settings": { "edit": \(number) } } } }
            """)
    }

    /// The build of another module, `counts-other`, with the same sources.
    static let otherBuild = 5

    private static let source = "CountsLater/CountsLaterModule.swift"
    private static let making = "let counter = Counter()"
    private static let glibc = BuiltProject.Edit(
        source, "import Synchronization\n", "import Glibc\nimport Synchronization\n")

    /// Code that ends each process which loads it.
    static let deathInLoad = """
        import Glibc
        @section(".init_array") @used let die: @convention(c) () -> Void = { abort() }

        """

    /// The changes of the sources that make a build of the module another one.
    private static let edits: [String: [BuiltProject.Edit]] = [
        "first": [.init(source, "let build = 1", "let build = 2")],
        "second": [.init(source, "let build = 1", "let build = 3")],
        "third": [.init(source, "let build = 1", "let build = 4")],
        "other": [
            .init("CountsLater/module.json", "\"counts-later\"", "\"counts-other\""),
            .init(source, "let build = 1", "let build = \(otherBuild)"),
        ],
        "fails": [
            .init(source, making, "throw UsageError(\"no\")\n\(making)"),
            .init(
                source, "register(in registrar: any Registrar)",
                "register(in registrar: any Registrar) throws"),
        ],
        "restoresNothing": [
            .init(source, "guard numbers.count == 2", "guard numbers.count == 0")
        ],
        "keepsNothing": [.init(source, "registrar.lifecycle(counter)", "")],
        "diesInLoad": [
            .init(source, "/// A counter in the guise", deathInLoad + "/// A counter in the guise")
        ],
        "diesInRegister": [glibc, .init(source, making, "abort()\n\(making)")],
        "exitsInRegister": [glibc, .init(source, making, "exit(3)\n\(making)")],
        "diesInCall": [glibc, .init(source, "let (number,", "abort()\nlet (number,")],
        "hangsInCalls": [
            .init(
                source, "return [User(",
                "while number % 10 == 0 { try? await Task.sleep(for: .seconds(60)) }\nreturn [User("
            )
        ],
    ]

    /// A build of the module that keeps the number.
    static func build(_ name: String) throws -> URL {
        let project = try BuiltProject(
            "counts-later-\(name)", manifest: #"{ "manifest": 1 }"#,
            modules: ["Tests/Fixtures/CountsLater"],
            files: [BuiltProject.sample.get().file("common")], edits: try #require(edits[name]))
        return URL(fileURLWithPath: project.file(name == "other" ? "counts-other" : "counts-later"))
    }

    /// A later version of the common interface, with a protocol more.
    static func grownInterface() throws -> URL {
        let project = try BuiltProject.sample(
            "grown-interface", only: ["common"],
            edits: [
                .init("Common/module.json", "\"1.0.0\"", "\"1.1.0\""),
                .init(
                    "Common/EventHandler.swift", "/// Records events.",
                    "/// Comes later.\npublic protocol Newcomer: Sendable {}\n\n/// Records events."
                ),
            ])
        return URL(fileURLWithPath: project.file("common"))
    }

    /// A host that takes calls.
    func launch(_ options: [String] = []) throws -> LiveEaves {
        let host = try LiveEaves(
            ["launch", "--no-build", "--live"] + options + ["relay", socket], in: workspace.url,
            environment: ["SWIFT_BACKTRACE": "enable=no"])
        try Patience.wait(for: "the socket") { access(socket, F_OK) == 0 }
        return host
    }
}
