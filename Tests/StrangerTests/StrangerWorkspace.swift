// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesChild
import EavesProcess
import EavesSystem
import EavesTestSupport
import Foundation

/// A folder with the manifest and the modules of `Tests/Stranger`, and its programs.
///
/// `swift build --package-path Tests/Stranger --scratch-path .build` builds the programs next to ours, and compiles
/// nothing of Eaves again; the gate does so before it runs the tests.
struct StrangerWorkspace {
    /// The output and exit code of a command.
    struct Outcome: CustomStringConvertible {
        let code: Int32
        /// Standard output and standard error, in the order in which they were written.
        let output: String

        var description: String { "code \(code):\n\(output)" }
    }

    private static let package = Repository.file("Tests/Stranger")

    /// Whether the stranger's programs are built.
    static var isBuilt: Bool {
        ["acme", "stranger-server"].allSatisfy {
            FileManager.default.isExecutableFile(atPath: Path.join(Repository.programs, $0))
        }
    }

    let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        for name in ["manifest.json", "Modules"] {
            try FileManager.default.copyItem(
                atPath: Self.package.appendingPathComponent(name).path, toPath: folder.file(name))
        }
    }

    /// Runs a line of the shell, with `acme`, `stranger-server` and `eaves` on `PATH`.
    func run(_ line: String) throws -> Outcome {
        var environment = Environment.current
        let path = environment["PATH"] ?? "/usr/bin:/bin"
        environment["PATH"] = "\(Repository.programs):\(path)"
        let script = #"umask 022; cd "$0" && exec /bin/sh -c "$1" 2>&1"#
        let report = try ChildPool.run(
            ChildCommand("/bin/sh", ["-c", script, folder.path, line], environment: environment))
        guard case .exited(let code) = report.ending else {
            return Outcome(code: -1, output: "\(report.ending)")
        }
        return Outcome(code: code, output: String(decoding: report.output, as: UTF8.self))
    }
}
