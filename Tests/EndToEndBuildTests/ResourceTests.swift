// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesTestSupport
import Foundation
import Testing

@testable import EndToEndSupport

/// The files that a module which is a package finds by `Bundle.module`.
@Suite("resources of a package", .onOwnThreads, .patiently)
struct ResourceTests {
    /// Makes a project with a module whose own target has resources, as well as one of a package that it depends on.
    private static func project() throws -> Eaves {
        let eaves = try Eaves.project()
        try eaves.write(
            """
            // swift-tools-version: 6.0
            import PackageDescription
            let package = Package(
                name: "Words", products: [.library(name: "Words", targets: ["Words"])],
                targets: [.target(name: "Words", resources: [.process("Texts")])])

            """, to: "Words/Package.swift")
        try eaves.write("Tür\n", to: "Words/Sources/Words/Texts/door.txt")
        try eaves.write(
            """
            import Foundation
            public func word() throws -> String {
                let url = Bundle.module.url(forResource: "door", withExtension: "txt")
                return try url.map { try String(contentsOf: $0, encoding: .utf8) } ?? "no word"
            }

            """, to: "Words/Sources/Words/Words.swift")
        try eaves.write(
            """
            // swift-tools-version: 6.0
            import PackageDescription
            let package = Package(
                name: "Page",
                products: [.library(name: "Page", type: .dynamic, targets: ["Page"])],
                dependencies: [.package(path: "../../Words")],
                targets: [
                    .target(
                        name: "Page", dependencies: [.product(name: "Words", package: "Words")],
                        resources: [.copy("pages")])
                ])

            """, to: "Plugins/Page/Package.swift")
        try eaves.write(
            """
            { "id": "page", "version": "1.0.0", "layer": "feature",
              "features": [{ "name": "page" }] }
            """, to: "Plugins/Page/module.json")
        try eaves.write("<p>one</p>\n", to: "Plugins/Page/Sources/Page/pages/first/index.html")
        try eaves.write(
            """
            import EavesInterface
            import Foundation
            import Words

            struct Page: Feature {
                func launch(_ launch: Launch) async throws -> ExitCode {
                    let page = Bundle.module.bundleURL.appendingPathComponent("pages/first/index.html")
                    try launch.console.write(String(contentsOf: page, encoding: .utf8))
                    try launch.console.write(word())
                    try launch.console.print("\\(Bundle(path: "/nowhere") == nil)")
                    return .success
                }
            }

            enum PageModule: Module {
                static func register(in registrar: any Registrar) {
                    registrar.registerFeature("page") { _ in Page() }
                }
            }

            """, to: "Plugins/Page/Sources/Page/Page.swift")
        return eaves
    }

    private static func output(_ page: String = "one") -> String { "<p>\(page)</p>\nTür\ntrue\n" }

    @Test("are in the file of a release, and go wherever it goes")
    func moved() throws {
        let maker = try Self.project()
        try maker("build", "page", "--release").expectSuccess()
        #expect(try maker("launch", "page").output == Self.output())
        try move(from: maker, Self.output())
    }

    /// Takes the module's file to another project, and removes its own one.
    private func move(from maker: Eaves, _ output: String) throws {
        let eaves = try Eaves.project()
        let file = try Data(contentsOf: maker.path("Plugins/page.so"))
        try FileManager.default.createDirectory(
            atPath: eaves.path("Plugins").path, withIntermediateDirectories: true)
        try file.write(to: eaves.path("Plugins/page.so"))
        try FileManager.default.removeItem(atPath: maker.folder.path)
        #expect(try eaves("launch", "page").output == output)
        #expect(try eaves("launch", "--isolate", "page", "page").output == output)
        let verified = try eaves("verify", "--walled", "--only", "features-help", "page")
        #expect(verified.code == 0, "\(verified)")
        // One folder for all of these processes.
        #expect(try folders(eaves).count == 1)
    }

    @Test("change with the module, take no place for good, and do without a place to be kept")
    func changed() throws {
        let eaves = try Self.project()
        #expect(try eaves("launch", "page").output == Self.output())
        let before = try folders(eaves)
        try eaves.write("<p>two</p>\n", to: "Plugins/Page/Sources/Page/pages/first/index.html")
        #expect(try eaves("launch", "page").output == Self.output("two"))
        let after = try folders(eaves)
        #expect(before.count == 1 && after.count == 1 && before != after)
        // A person may have removed the folder.
        let place = eaves.path(".eaves/resources").path
        try FileManager.default.removeItem(atPath: place + "/" + after[0])
        #expect(try eaves("launch", "page").output == Self.output("two"))
        // A file has its place.
        try FileManager.default.removeItem(atPath: place)
        try eaves.write("", to: ".eaves/resources")
        #expect(try eaves("launch", "page").output == Self.output("two"))
        try move(from: eaves, Self.output("two"))
    }

    private func folders(_ eaves: Eaves) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: eaves.path(".eaves/resources").path)
            .filter { !$0.hasPrefix(".") }
    }
}
