// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesTestSupport
import Foundation

extension Repository {
    /// A file of the sample: a small application like those of users of Eaves, which the tests know by heart.
    static func sample(_ path: String) -> URL { file("Tests/Sample/\(path)") }

    /// The modules of the sample, each built once in a run. The folder of their `.so` files.
    static let modules = Result { try build(["build"]) }

    /// The same, optimised.
    static let optimisedModules = Result { try build(["build", "--release"]) }

    private static func build(_ arguments: [String]) throws -> TemporaryFolder {
        let workspace = try Workspace(sources: true)
        let outcome = try Eaves.run(Eaves.executable, arguments, in: workspace.url)
        guard outcome.code == 0 else { throw FixtureError("\(outcome)") }
        return workspace.folder
    }
}
