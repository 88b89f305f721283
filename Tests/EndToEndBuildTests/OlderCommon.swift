// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesDeclaration
import EavesTestSupport
import Foundation

@testable import EndToEndSupport

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
