// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesChild
import EavesProcess
import EavesSystem
import EavesTestSupport
import Foundation

/// A terminal in a new workspace, in which the commands of one document run, in order.
///
/// The workspace holds the part of a clone that the documents name: the manifest, the sources of the
/// modules without anything built, the C header, and the documentation.
struct Session {
    /// The output and exit code of a command.
    struct Outcome {
        let exitCode: Int32
        /// Standard output and standard error, in the order in which they were written.
        let output: String
    }

    /// Whether documents that sign modules can be run.
    static let hasSSHKeygen: Bool = {
        let found = try? ChildPool.run(ChildCommand("sh", ["-c", "command -v ssh-keygen"]))
        return found?.ending.isSuccess == true
    }()

    private let folder: TemporaryFolder

    /// - Parameter project: The folder with the manifest and the modules, in the repository: the top folder,
    ///   or that of the sample.
    init(project: String = ".") throws {
        let files = FileManager.default
        folder = try TemporaryFolder()
        for name in ["Plugins", "Sources", "Sources/Contract"] { try folder.createFolder(name) }
        for name in ["Documentation", "Sources/Contract/CEaves"] {
            try files.copyItem(at: Repository.file(name), to: place(name))
        }
        let project = Repository.file(project)
        try files.copyItem(
            at: project.appendingPathComponent("manifest.json"), to: place("manifest.json"))
        let plugins = project.appendingPathComponent("Plugins")
        for name in try files.contentsOfDirectory(atPath: plugins.path)
        where !name.hasSuffix(".so") && !name.hasPrefix(".") {
            try files.copyItem(
                at: plugins.appendingPathComponent(name), to: place("Plugins/\(name)"))
        }
    }

    func write(_ path: String, _ text: String) throws { try folder.write(text, to: path) }

    /// Runs a line of the shell, with the command that was built together with these tests on `PATH`.
    ///
    /// `swift run eaves …` is run as `eaves …`: SwiftPM would find nothing to build, print lines of
    /// its own, and wait for the lock that `swift test` holds.
    func run(_ command: String) throws -> Outcome {
        let word = "swift run "
        let line = command.hasPrefix(word) ? String(command.dropFirst(word.count)) : command
        var environment = Environment.current
        environment["PATH"] =
            Repository.programs + ":" + (environment["PATH"] ?? "/usr/bin:/bin")
        // The first shell goes to the folder and then becomes the one of the line.
        let script = #"cd "$0" && exec /bin/sh -c "$1""#
        let report = try ChildPool.run(
            ChildCommand(
                "/bin/sh", ["-c", script, folder.path, line], environment: environment))
        guard case .exited(let code) = report.ending else {
            throw FixtureError("'\(line)' ended by \(report.ending)")
        }
        return Outcome(exitCode: code, output: String(decoding: report.output, as: UTF8.self))
    }

    private func place(_ path: String) -> URL { folder.url.appendingPathComponent(path) }
}
