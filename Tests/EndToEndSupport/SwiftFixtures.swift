// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesTestSupport
import Foundation

/// The faulty modules in Swift: each is a folder of `Fixtures`, built by `eaves build`.
enum SwiftFixtures {
    static let folder = Repository.file("Tests/Fixtures")

    /// The `.so` of a fixture that is wrong in what it does, not in how it is built.
    ///
    /// - Parameter id: As its `module.json` says it.
    static func module(_ id: String) throws -> URL {
        URL(fileURLWithPath: try plain.get().file(id))
    }

    /// Has the interface's own object files linked into it.
    static let carriesInterface = Result {
        let built = try TemporaryFolder()
        let module = "CarriesInterface"
        try FileManager.default.copyItem(
            at: folder.appendingPathComponent(module), to: built.url.appendingPathComponent(module))
        let sources = Repository.file("Sources/Contract/EavesInterface").path
        let objects = URL(fileURLWithPath: Repository.programs)
            .appendingPathComponent("EavesInterface.build")
        // By the names of the sources, because objects of earlier sources may lie there too.
        let words = try FileManager.default.subpathsOfDirectory(atPath: sources).sorted()
            .filter { $0.hasSuffix(".swift") }
            .map { "'\(objects.path)/\(($0 as NSString).lastPathComponent).o'" }
        _ = try built.writeProgram(
            """
            #!/bin/sh
            case $1 in -print-target-info) exec swiftc "$@" ;; esac
            exec swiftc \(words.joined(separator: " ")) "$@"

            """, to: "swiftc")
        let outcome = try Eaves.run(
            Eaves.executable, ["build", "./\(module)"], in: built.url,
            environment: ["EAVES_SWIFTC": "./swiftc"])
        guard outcome.code == 0 else { throw FixtureError("\(outcome)") }
        return built
    }

    private static let plain = Result {
        let folders = try BuiltProject.moduleFolders(in: "Tests/Fixtures")
            .filter { ($0 as NSString).lastPathComponent != "CarriesInterface" }
        return try BuiltProject(
            "fixtures", manifest: #"{ "manifest": 1 }"#, modules: folders,
            files: [BuiltProject.sample.get().file("common")])
    }
}
