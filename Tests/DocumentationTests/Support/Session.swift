// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesSystem
import Foundation
import Glibc

/// A terminal in a new workspace, in which the commands of one document run, in order.
///
/// The workspace holds the part of a clone that the documents name: the manifest, the sources of the
/// modules without anything built, the C header, and the documentation.
final class Session {
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

    /// Set whatever umask the tests are started with, because a host refuses modules that a group can write.
    private static let mask = umask(0o022)

    let folder: URL

    /// - Parameter project: The folder with the manifest and the modules, in the repository: the top folder,
    ///   or that of the sample.
    init(project: String = ".") throws {
        _ = Self.mask
        let files = FileManager.default
        folder = files.temporaryDirectory.appendingPathComponent("eaves-\(UUID().uuidString)")
        for name in ["Plugins", "Sources"] {
            try files.createDirectory(at: place(name), withIntermediateDirectories: true)
        }
        for name in ["Documentation", "Sources/CEaves"] {
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

    deinit {
        // If that fails, the folder is still a temporary one.
        try? FileManager.default.removeItem(at: folder)
    }

    func write(_ path: String, _ text: String) throws {
        let file = place(path)
        try FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: file)
    }

    /// Runs a line of the shell, with the command that was built together with these tests on `PATH`.
    ///
    /// `swift run eaves …` is run as `eaves …`: SwiftPM would find nothing to build, print lines of
    /// its own, and wait for the lock that `swift test` holds.
    func run(_ command: String) throws -> Outcome {
        let word = "swift run "
        let line = command.hasPrefix(word) ? String(command.dropFirst(word.count)) : command
        var environment = Environment.current
        environment["PATH"] =
            Repository.commandFolder + ":" + (environment["PATH"] ?? "/usr/bin:/bin")
        // The first shell goes to the folder and then becomes the one of the line.
        let script = #"cd "$0" && exec /bin/sh -c "$1""#
        let report = try ChildPool.run(
            ChildCommand(
                "/bin/sh", ["-c", script, folder.path, line], environment: environment))
        guard case .exited(let code) = report.ending else {
            throw SessionError(line: line, ending: report.ending)
        }
        return Outcome(exitCode: code, output: String(decoding: report.output, as: UTF8.self))
    }

    private func place(_ path: String) -> URL { folder.appendingPathComponent(path) }
}

/// A signal ended a command that a document shows.
struct SessionError: Error, CustomStringConvertible {
    let line: String
    let ending: ChildEnding

    var description: String { "'\(line)' ended by \(ending)" }
}
