// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesTestSupport
import Foundation
import Testing

@testable import EndToEndSupport

/// An interface with two routes, a module that opens one of them, and one with the screen behind it: the
/// opener names no factory, and the compiler decides which symbols show that.
@Suite("routes in real binaries", .onOwnThreads)
struct RouteGraphTests {
    private static let files = [
        "manifest.json": #"{ "manifest": 1 }"#,
        "Plugins/Ways/module.json":
            #"{ "id": "ways", "version": "1.0.0", "layer": "interface", "module": "WaysInterface" }"#,
        "Plugins/Ways/Ways.swift": """
        public import EavesInterface

        public protocol HomeRoute: Sendable {
            func openHome() throws -> String
        }

        public protocol HelpRoute: Sendable {
            func openHelp() throws -> String
        }

        public protocol HomeFactory: Sendable {
            func makeHome() -> String
        }

        public struct Router: Sendable {
            public let container: any Resolver

            public init(container: any Resolver) {
                self.container = container
            }
        }

        extension Router: HomeRoute {
            public func openHome() throws -> String {
                try container.resolve((any HomeFactory).self).makeHome()
            }
        }

        extension Router: HelpRoute {
            public func openHelp() throws -> String { "help" }
        }
        """,
        "Plugins/Start/module.json": """
        { "id": "start", "version": "1.0.0", "layer": "feature", "interfaces": ["ways"],
          "requires": ["HomeFactory"], "features": [{ "name": "start" }] }
        """,
        "Plugins/Start/StartModule.swift": """
        import EavesInterface
        import WaysInterface

        enum StartModule: Module {
            static func register(in registrar: any Registrar) {
                registrar.registerFeature("start") { Start(routes: Router(container: $0)) }
            }
        }

        struct Start: Feature {
            let routes: any HomeRoute

            func launch(_ launch: Launch) async throws -> ExitCode {
                try launch.console.print(try routes.openHome())
                return .success
            }
        }
        """,
        "Plugins/Home/module.json": """
        { "id": "home", "version": "1.0.0", "layer": "feature", "interfaces": ["ways"],
          "provides": [{ "service": "HomeFactory" }] }
        """,
        "Plugins/Home/HomeModule.swift": """
        import EavesInterface
        import WaysInterface

        enum HomeModule: Module {
            static func register(in registrar: any Registrar) {
                registrar.register((any HomeFactory).self) { _ in Homes() }
            }
        }

        struct Homes: HomeFactory {
            func makeHome() -> String { "at home" }
        }
        """,
    ]

    @Test("are drawn and audited, in debug and in release builds", arguments: [[], ["--release"]])
    func routes(options: [String]) throws {
        let folder = try TemporaryFolder()
        for (path, text) in Self.files { try folder.write(text, to: path) }
        let eaves = Eaves(folder: folder.url, owner: folder)
        let built = try eaves(["build"] + options)
        #expect(built.code == 0, "\(built)")
        #expect(try eaves("launch", "--no-build", "start").output == "at home\n")

        let edges = try eaves("graph", "--show", "all", "--format", "mermaid").lines
        for edge in [
            #"  module_start -->|"opens"| route_WaysInterface_2eHomeRoute"#,
            #"  route_WaysInterface_2eHomeRoute -.->|"leads to"| service_WaysInterface_2eHomeFactory"#,
            #"  module_home -->|"provides"| service_WaysInterface_2eHomeFactory"#,
        ] {
            #expect(edges.contains(edge), "\(edges.joined(separator: "\n"))")
        }
        #expect(!edges.contains { $0.contains(#""opens"| route_WaysInterface_2eHelpRoute"#) })
        let audit = try eaves("audit", "--strict")
        #expect(
            audit.output == """
                routes that are never opened:
                  no module opens the route HelpRoute (Plugins/Ways/module.json)
                    fix: open it in a feature, or remove it from the interface, and with it the factory \
                that it leads to

                """)
        #expect(audit.code == 1, "\(audit)")
    }
}
