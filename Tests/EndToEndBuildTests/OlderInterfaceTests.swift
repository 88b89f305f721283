// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesBuild
import EavesDeclaration
import EavesTestSupport
import Foundation
import Testing

@testable import EavesCompiler
@testable import EndToEndSupport

// 1.0 is the first version. Later ones find its sources here.
@Suite("Modules built against an earlier interface", .onOwnThreads)
struct OlderInterfaceTests {
    private static let version = "1.0"
    /// Modules that are built against it.
    private static let built = Result {
        let folder = try TemporaryFolder()
        let interface = try OlderInterface(version)
        for name in ["Common", "Analytics", "Home", "Login", "Users", "UsersMemory"] {
            try interface.build(Repository.sample("Plugins/\(name)"), into: folder.url)
        }
        return folder
    }

    private func drop(_ ids: [String], into workspace: Workspace) throws {
        let folder = try Self.built.get().url
        for id in ids { try workspace.drop(folder.appendingPathComponent(id + ".so")) }
    }

    @Test("run unchanged in today's host")
    func runs() throws {
        let workspace = try Workspace(modules: [])
        let ids = ["common", "analytics", "home", "login", "users", "users-memory"]
        try drop(ids, into: workspace)
        let inspected = try workspace.eaves("inspect", "login")
        #expect(inspected.output.contains("interface: \(Self.version), common 1.0\n"))
        #expect(try workspace.eaves("launch", "users").output == "1 Alice\n2 Bob\n")
        let login = try workspace.eaves("launch", "login", "--name", "Bob")
        #expect(login.output == "Welcome home, Bob!\n")
        #expect(login.code == 0)
    }

    @Test("are told from today's where both are there")
    func mixed() throws {
        let workspace = try Workspace(modules: ["users-memory"])
        try drop(["common", "users"], into: workspace)
        #expect(try workspace.eaves("launch", "users").output == "1 Alice\n2 Bob\n")
    }
}

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

@Suite("Modules built against an earlier common interface", .onOwnThreads, .patiently)
struct OlderCommonTests {
    private static let answers = """
        1 Ada
        2 Bea
        2 Bea
        no Cid
        7 quick Cid
        handled asked
        refused demanded

        """

    /// A workspace with today's common interface, and no other module.
    private func workspace() throws -> Workspace {
        let workspace = try Workspace(modules: [])
        try workspace.manifest(#"{ "manifest": 1 }"#)
        return workspace
    }

    @Test("run unchanged with today's", arguments: OlderCommon.versions)
    func runs(version: InterfaceVersion) throws {
        let workspace = try workspace()
        let older = try OlderCommon(version)
        for id in ["keeps-people", "tells-people"] { try older.drop(id, into: workspace.plugins) }
        for id in ["keeps-people", "tells-people"] {
            let inspected = try workspace.eaves("inspect", id)
            #expect(inspected.output.contains(", common \(version)\n"), "\(inspected)")
        }
        let launched = try workspace.eaves("launch", "tell")
        #expect(launched.output == Self.answers, "\(launched)")
        #expect(launched.code == 0)
        let validated = try workspace.eaves("validate")
        #expect(validated.code == 0, "\(validated)")
    }

    @Test("run with modules that are built against today's", arguments: OlderCommon.versions)
    func mixed(version: InterfaceVersion) throws {
        let older = try OlderCommon(version)
        for (old, new) in [
            ("keeps-people", "TellsPeople"), ("tells-people", "KeepsPeople"),
        ] {
            let workspace = try workspace()
            try older.drop(old, into: workspace.plugins)
            try FileManager.default.copyItem(
                at: older.sources.appendingPathComponent(new),
                to: workspace.url.appendingPathComponent(new))
            let built = try workspace.eaves("build", "./\(new)", "-o", "Plugins/")
            #expect(built.code == 0, "\(built)")
            let launched = try workspace.eaves("launch", "tell")
            #expect(launched.output == Self.answers, "\(old): \(launched)")
        }
    }

    @Test("are there for each earlier minor version")
    func areThere() throws {
        let version = try OlderCommon.current
        let kept = OlderCommon.versions
        #expect(!kept.isEmpty)
        for minor in 0..<version.minor {
            let earlier = InterfaceVersion(major: version.major, minor: minor)
            #expect(
                kept.contains(earlier),
                """
                there is no \(OlderCommon.folder(earlier)): copy an earlier one, and exchange its \
                folder Common for the one of the release
                """)
        }
    }
}

/// The common interface as it was at an earlier version, and the modules of its fixture, built against it.
struct OlderCommon {
    private static let prefix = "Common-"

    /// The version of today's common interface.
    static var current: InterfaceVersion {
        get throws {
            let path = Repository.file("Plugins/Common/module.json").path
            guard let version = InterfaceVersion.ofModule(try ModuleDeclaration.load(path).version)
            else { throw FixtureError(path) }
            return version
        }
    }

    /// The versions that have a fixture, of today's major version: a host runs no others.
    static let versions: [InterfaceVersion] = {
        let names = try? FileManager.default.contentsOfDirectory(atPath: SwiftFixtures.folder.path)
        let found = (names ?? []).filter { $0.hasPrefix(prefix) }
            .compactMap { InterfaceVersion(String($0.dropFirst(prefix.count))) }
        let major = try? current.major
        return found.filter { $0.major == major }.sorted { $0.minor < $1.minor }
    }()

    /// The folder of a version's fixture, relative to the repository's.
    static func folder(_ version: InterfaceVersion) -> String {
        "Tests/Fixtures/\(prefix)\(version)"
    }

    /// The folders of sources of the interface and of the modules.
    let sources: URL
    private let project: BuiltProject

    /// Builds the interface of a version, and the modules against it.
    init(_ version: InterfaceVersion) throws {
        sources = Repository.file(Self.folder(version))
        project = try BuiltProject(
            "common-\(version)", manifest: #"{ "manifest": 1 }"#,
            modules: BuiltProject.moduleFolders(in: Self.folder(version)))
    }

    /// Copies the file of a module into a folder.
    func drop(_ id: String, into plugins: URL) throws {
        try FileManager.default.copyItem(
            at: URL(fileURLWithPath: project.file(id)),
            to: plugins.appendingPathComponent("\(id).so"))
    }
}
