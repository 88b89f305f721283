// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesSystem
import Foundation
import Glibc

/// A terminal in a fresh workspace: what a document does, one thing after the other.
///
/// The workspace is what a clone of the repository holds and the documents speak of: the manifest,
/// the modules' sources without anything built, the C header, the documentation.
final class Session {
    /// What a command left behind.
    struct Outcome {
        let exitCode: Int32
        /// Standard output and standard error in the order they were written.
        let output: String
    }

    /// Whether documents that sign can be run.
    static let hasSSHKeygen: Bool = {
        let found = try? ChildPool.run(ChildCommand("sh", ["-c", "command -v ssh-keygen"]))
        return found?.ending.isSuccess == true
    }()

    /// Modules that a group can write are refused, whatever umask the tests are started with.
    private static let mask = umask(0o022)

    let folder: URL

    init() throws {
        _ = Self.mask
        let files = FileManager.default
        folder = files.temporaryDirectory.appendingPathComponent("eaves-\(UUID().uuidString)")
        for name in ["Plugins", "Sources"] {
            try files.createDirectory(at: place(name), withIntermediateDirectories: true)
        }
        for name in ["manifest.json", "Documentation", "Sources/CEaves"] {
            try files.copyItem(at: Repository.file(name), to: place(name))
        }
        for name in try files.contentsOfDirectory(atPath: Repository.file("Plugins").path)
        where !name.hasSuffix(".so") && !name.hasPrefix(".") {
            try files.copyItem(
                at: Repository.file("Plugins/\(name)"), to: place("Plugins/\(name)"))
        }
    }

    deinit {
        // What could not be removed stays in a temporary folder.
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
            throw SessionFault(line: line, ending: report.ending)
        }
        return Outcome(exitCode: code, output: String(decoding: report.output, as: UTF8.self))
    }

    private func place(_ path: String) -> URL { folder.appendingPathComponent(path) }
}
