// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesTestSupport
import Foundation

/// Runs a program on a kernel that has less than ours, or says that it does what it does not do.
struct StrangeKernel {
    private let program: URL

    init(in folder: TemporaryFolder) throws {
        let source = Repository.file("Tests/Fixtures/strange-kernel.c").path
        program = folder.url.appendingPathComponent("strange-kernel")
        let outcome = try Eaves.shell(
            "clang -O1 -Wall -Werror -o '\(program.path)' '\(source)'", in: folder.url)
        guard outcome.code == 0 else { throw FixtureError("\(outcome)") }
    }

    func run(
        _ eaves: Eaves, hiding what: String, _ arguments: [String]
    ) throws -> Eaves.Outcome {
        try Eaves.run(program, [what, Eaves.executable.path] + arguments, in: eaves.folder)
    }
}
