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

    /// Calls a function of a Swift module that nobody loads.
    static let needsSwiftSymbol = Result {
        try build(["NeedsSwiftSymbol"]) { folder in
            try emitModule("Elsewhere", from: [fixture("Elsewhere")], into: folder)
            return ["-I", folder.path]
        }
    }

    /// Calls a function that a later interface has: this host's with one function more.
    static let needsNewerInterface = Result {
        try build(["NeedsNewerInterface"]) { folder in
            let sources = [
                Repository.file("Sources/Contract/EavesInterface"), fixture("NewerInterface"),
            ]
            try emitModule("EavesInterface", from: sources, into: folder)
            return ["-I", folder.path]
        }
    }

    /// Has the interface's own object files linked into it.
    static let carriesInterface = Result {
        try build(["CarriesInterface"]) { _ in
            let objects = products.appendingPathComponent("EavesInterface.build")
            // By the names of the sources, because objects of earlier sources may lie there too.
            return try swiftFiles(in: [Repository.file("Sources/Contract/EavesInterface")]).map {
                objects.appendingPathComponent($0.lastPathComponent + ".o").path
            }
        }
    }

    private static let plain = Result {
        let special: Set = ["NeedsSwiftSymbol", "NeedsNewerInterface", "CarriesInterface"]
        let folders = try BuiltProject.moduleFolders(in: "Tests/Fixtures")
            .filter { !special.contains(($0 as NSString).lastPathComponent) }
        return try BuiltProject(
            "fixtures", manifest: #"{ "manifest": 1 }"#, modules: folders,
            files: [BuiltProject.sample.get().file("common")])
    }

    /// Builds copies of fixtures, in a folder of their own, with more options for the compiler.
    private static func build(
        _ names: [String], adding options: (URL) throws -> [String]
    ) throws -> TemporaryFolder {
        let folder = try TemporaryFolder()
        for name in names {
            try FileManager.default.copyItem(
                at: fixture(name), to: folder.url.appendingPathComponent(name))
        }
        // Without a manifest, a build looks for interfaces next to what it writes.
        try FileManager.default.copyItem(
            at: Repository.modules.appendingPathComponent("common.so"),
            to: folder.url.appendingPathComponent("common.so"))
        _ = try folder.writeProgram(wrapper(adding: try options(folder.url)), to: "swiftc")
        let outcome = try Eaves.run(
            Eaves.executable, ["build"] + names.map { "./\($0)" }, in: folder.url,
            environment: ["EAVES_SWIFTC": "./swiftc"])
        guard outcome.code == 0 else { throw FixtureError("\(outcome)") }
        return folder
    }

    /// Options in front go before those of `eaves build`, so that an `-I` of ours counts.
    private static func wrapper(adding options: [String]) -> String {
        let words = options.map { "'\($0)'" }.joined(separator: " ")
        return """
            #!/bin/sh
            case $1 in -print-target-info) exec swiftc "$@" ;; esac
            exec swiftc \(words) "$@"

            """
    }

    private static func emitModule(
        _ name: String, from sources: [URL], into folder: URL
    ) throws {
        let features = ["ExistentialAny", "InternalImportsByDefault", "MemberImportVisibility"]
        let map = products.appendingPathComponent("CEaves.build/module.modulemap").path
        let outcome = try Eaves.run(
            URL(fileURLWithPath: "/usr/bin/env"),
            [
                "swiftc", "-emit-module", "-emit-module-path",
                folder.appendingPathComponent("\(name).swiftmodule").path, "-module-name", name,
                "-enable-library-evolution", "-swift-version", "6", "-parse-as-library", "-wmo",
                "-package-name", "eaves",
                "-Xcc", "-fmodule-map-file=\(map)",
            ] + features.flatMap { ["-enable-upcoming-feature", $0] }
                + swiftFiles(in: sources).map(\.path), in: folder)
        guard outcome.code == 0 else { throw FixtureError("\(outcome)") }
    }

    private static func swiftFiles(in folders: [URL]) throws -> [URL] {
        try folders.flatMap { folder in
            try FileManager.default.subpathsOfDirectory(atPath: folder.path).sorted()
                .filter { $0.hasSuffix(".swift") }
                .map { folder.appendingPathComponent($0) }
        }
    }

    private static func fixture(_ name: String) -> URL { folder.appendingPathComponent(name) }

    /// Where this package was built.
    private static let products = URL(fileURLWithPath: Repository.programs)
}
