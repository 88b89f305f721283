// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesBuild
@testable import EavesCompiler
import EavesTestSupport
import Foundation
@testable import EndToEndSupport

/// The interface as it was at an earlier version, compiled from the archive of its sources, laid out as
/// the SDK of a host.
struct OlderInterface {
    private let folder: TemporaryFolder
    private var executable: String { folder.url.appendingPathComponent("bin/eaves").path }

    /// - Parameter version: A version that has an archive, such as `1.0`.
    init(_ version: String) throws {
        folder = try TemporaryFolder()
        let archive = Repository.path("Tests/Fixtures/Interface-\(version).tar.gz")
        let unpacked = try Eaves.shell("tar -xzf '\(archive)'", in: folder.url)
        guard unpacked.code == 0 else { throw FixtureError("\(unpacked)") }
        let map = try folder.write(
            "module CEaves {\n    umbrella \"\(folder.path)/CEaves/include\"\n    export *\n}\n",
            to: "bin/CEaves.build/module.modulemap")
        let modules = folder.url.appendingPathComponent("bin/Modules")
        try FileManager.default.createDirectory(at: modules, withIntermediateDirectories: true)
        let interface = folder.file("EavesInterface")
        let files = try FileManager.default.subpathsOfDirectory(atPath: interface)
            .filter { $0.hasSuffix(".swift") }.map { "\(interface)/\($0)" }
        let outcome = try Eaves.run(
            URL(fileURLWithPath: Toolchain.locate().swiftc),
            [
                "-emit-module", "-parse-as-library", "-swift-version", "6",
                "-enable-upcoming-feature", "ExistentialAny",
                "-enable-upcoming-feature", "InternalImportsByDefault",
                "-module-name", "EavesInterface", "-package-name", "eaves",
                "-enable-library-evolution",
                "-emit-module-interface-path",
                modules.appendingPathComponent("EavesInterface.swiftinterface").path,
                "-no-verify-emitted-module-interface",
                "-Xcc", "-fmodule-map-file=\(map)",
                "-o", modules.appendingPathComponent("EavesInterface.swiftmodule").path,
            ] + files, in: folder.url)
        guard outcome.code == 0 else { throw FixtureError("\(outcome)") }
    }

    /// Builds a folder of sources against it.
    func build(_ source: URL, into output: URL) throws {
        let builder = Builder(forHost: executable)
        let request = try BuildRequest(folder: source.path, output: output.path)
        for result in builder.build([request]) {
            if let error = result.error {
                throw FixtureError("\(error)\n\(result.compilerOutput)")
            }
        }
    }
}
