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
/// modules, the C header, and the documentation.
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

    /// - Parameters:
    ///   - project: The folder with the manifest and the modules: of the repository, or of a built project.
    ///   - isBuilt: Whether to take what is built, too.
    init(project: URL = Repository.file("."), isBuilt: Bool = false) throws {
        let files = FileManager.default
        folder = try TemporaryFolder()
        for name in ["Plugins", "Sources", "Sources/Contract"] { try folder.createFolder(name) }
        for name in ["Documentation", "Sources/Contract/CEaves"] {
            try files.copyItem(at: Repository.file(name), to: place(name))
        }
        try files.copyItem(
            at: project.appendingPathComponent("manifest.json"), to: place("manifest.json"))
        let plugins = project.appendingPathComponent("Plugins")
        for name in try files.contentsOfDirectory(atPath: plugins.path)
        where isBuilt || !name.hasSuffix(".so") && !name.hasPrefix(".") {
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

/// An output as a document shows it. `…` inside a line stands for any text, such as a time; a line that
/// is only `…` stands for any lines.
struct OutputPattern {
    private let lines: [String]

    /// - Parameter lines: Empty lines at the end do not count: they separate commands.
    init(_ lines: [String]) {
        let end = lines.lastIndex { !$0.isEmpty }.map { $0 + 1 } ?? 0
        self.lines = Self.ordered(Array(lines[..<end]))
    }

    func matches(_ output: String) -> Bool {
        var found = output.split(separator: "\n", omittingEmptySubsequences: false)
            .map(String.init)
        while found.last == "" { found.removeLast() }
        return Self.match(lines[...], Self.ordered(found)[...])
    }

    private static func match(
        _ pattern: ArraySlice<String>, _ found: ArraySlice<String>
    ) -> Bool {
        guard let first = pattern.first else { return found.isEmpty }
        if first == "…" {
            return (found.startIndex...found.endIndex).contains { start in
                match(pattern.dropFirst(), found[start...])
            }
        }
        guard let line = found.first, matchLine(first, line) else { return false }
        return match(pattern.dropFirst(), found.dropFirst())
    }

    private static func matchLine(_ pattern: String, _ line: String) -> Bool {
        let parts = pattern.split(separator: "…", omittingEmptySubsequences: false)
        guard parts.count > 1, let first = parts.first, let last = parts.last else {
            return pattern == line
        }
        guard line.hasPrefix(first) else { return false }
        var rest = line.dropFirst(first.count)
        for part in parts.dropFirst().dropLast() where !part.isEmpty {
            guard let range = rest.firstRange(of: part) else { return false }
            rest = rest[range.upperBound...]
        }
        return rest.hasSuffix(last)
    }

    /// Sorts neighbouring lines about builds: modules are compiled at the same time, in no fixed order.
    private static func ordered(_ lines: [String]) -> [String] {
        let groups = lines.reduce(into: [[String]]()) { groups, line in
            let joins = isBuilt(line) && groups.last.map { isBuilt($0[0]) } ?? false
            if joins {
                groups[groups.count - 1].append(line)
            } else {
                groups.append([line])
            }
        }
        return groups.flatMap { $0.sorted() }
    }

    private static func isBuilt(_ line: String) -> Bool { line.hasPrefix("built ") }
}
