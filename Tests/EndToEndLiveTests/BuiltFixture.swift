// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesTestSupport
import Foundation

@testable import EndToEndSupport

/// The modules of a fixture, which are built once.
struct BuiltFixture {
    /// The modules of `Isolated`, which several suites use.
    static let isolated = Result { try BuiltFixture("Isolated") }

    private let built: TemporaryFolder

    /// Builds them.
    ///
    /// - Parameter name: Of the folder among the fixtures, with a manifest and `Plugins`.
    init(_ name: String) throws {
        built = try Self.copy(of: Repository.file("Tests/Fixtures/\(name)"))
        let outcome = try Eaves(folder: built.url, owner: built)("build")
        guard outcome.code == 0 else { throw FixtureError("\(outcome)") }
    }

    /// A copy of the manifest, the sources and the built modules, for one test.
    func copy() throws -> TemporaryFolder { try Self.copy(of: built.url) }

    private static func copy(of folder: URL) throws -> TemporaryFolder {
        let copy = try TemporaryFolder()
        for name in ["manifest.json", "Plugins"] {
            try FileManager.default.copyItem(
                at: folder.appendingPathComponent(name), to: copy.url.appendingPathComponent(name))
        }
        return copy
    }
}

/// A second build of the sample's `users-memory`, with other users.
enum OtherUsers {
    /// The file.
    static let file = Result {
        let project = try BuiltProject.sample(
            "other-users", only: ["users-memory"],
            edits: [.init("UsersMemory/UsersMemoryModule.swift", "Alice", "Grace")])
        return URL(fileURLWithPath: project.file("users-memory"))
    }
}
