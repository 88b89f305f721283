// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import Foundation

/// This repository, as the tests find it.
enum Repository {
    /// Its top folder.
    static let folder = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    static func file(_ path: String) -> URL { folder.appendingPathComponent(path) }

    /// A file of the sample: a small application like those of users of Eaves, which the tests know by heart.
    static func sample(_ path: String) -> URL { file("Tests/Sample/\(path)") }

    /// The modules of the sample, each built once in a run. The folder of their `.so` files.
    static let modules = Result { try build(["build"]) }

    /// The same, optimised.
    static let optimisedModules = Result { try build(["build", "--release"]) }

    private static func build(_ arguments: [String]) throws -> TemporaryFolder {
        let workspace = try Workspace(sources: true)
        let outcome = try Eaves.run(Eaves.executable, arguments, in: workspace.url)
        guard outcome.code == 0 else { throw FixtureFault(what: "\(outcome)") }
        return workspace.folder
    }
}

/// A fixture could not be made.
struct FixtureFault: Error, CustomStringConvertible {
    let what: String
    var description: String { what }
}
