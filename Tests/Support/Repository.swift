// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesSystem
package import Foundation

/// This repository, and the programs that were built together with the tests.
package enum Repository {
    /// Its top folder.
    package static let path = Path.absolute("../../..", from: #filePath)
    /// The program that runs the tests.
    package static let program = (try? Files.target(ofLink: "/proc/self/exe")) ?? ""
    /// The folder of the programs that were built together with these tests.
    package static let programs = Path.parent(of: program)
    /// The command `eaves` among them.
    package static let command = Path.join(programs, "eaves")

    /// The path of a file.
    package static func path(_ name: String) -> String { Path.join(path, name) }
}

extension Repository {
    /// Its top folder, for tests that name files by URLs.
    package static let folder = URL(fileURLWithPath: path, isDirectory: true)

    package static func file(_ name: String) -> URL { folder.appendingPathComponent(name) }
}
