// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesSystem
import EavesTestSupport
import Foundation

/// The real command, as a process.
struct Eaves {
    /// What a process left behind.
    struct Outcome: CustomStringConvertible {
        let code: Int32
        /// The number of the signal that ended it; `nil` if it ended by itself.
        let signal: Int32?
        let output: String
        let errors: String

        var lines: [String] { output.split(separator: "\n").map(String.init) }
        var description: String { "code \(code), output:\n\(output)\nerrors:\n\(errors)" }
    }

    /// The command that was built together with these tests.
    static let executable = URL(fileURLWithPath: Repository.command)

    /// Where the process starts.
    let folder: URL
    /// What keeps the folder from being removed meanwhile.
    var owner: TemporaryFolder?

    /// Runs the command to its end.
    ///
    /// - Parameters:
    ///   - arguments: Without the program's name.
    ///   - input: What it reads; nothing if `nil`.
    ///   - environment: Added to the test's own.
    @discardableResult
    func callAsFunction(
        _ arguments: String..., input: String? = nil, environment: [String: String] = [:]
    ) throws -> Outcome {
        try self(arguments, input: input, environment: environment)
    }

    /// Runs the command to its end, with a list of arguments.
    func callAsFunction(
        _ arguments: [String], input: String? = nil, environment: [String: String] = [:]
    ) throws -> Outcome {
        try withExtendedLifetime(owner) {
            try Self.run(
                Self.executable, arguments, in: folder, input: input, environment: environment)
        }
    }

    /// Runs any program to its end, with its two outputs apart.
    static func run(
        _ program: URL, _ arguments: [String], in folder: URL, input: String? = nil,
        environment: [String: String] = [:]
    ) throws -> Outcome {
        // Files instead of pipes: nothing has to be read while it runs.
        let files = try TemporaryFolder()
        let given = try input.map { try files.write($0, to: "input") } ?? "/dev/null"
        let output = files.url.appendingPathComponent("output")
        let errors = files.url.appendingPathComponent("errors")
        let child = try Child(
            program, arguments, in: folder, environment: environment,
            [.reading(given), .writing(output.path), .writing(errors.path)])
        let (code, signal) = try child.wait()
        return Outcome(
            code: code, signal: signal,
            output: String(decoding: try Data(contentsOf: output), as: UTF8.self),
            errors: String(decoding: try Data(contentsOf: errors), as: UTF8.self))
    }

    /// Runs a line of the shell, in which `eaves` is the command.
    static func shell(_ line: String, in folder: URL) throws -> Outcome {
        let inherited = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
        return try run(
            URL(fileURLWithPath: "/bin/sh"), ["-c", line], in: folder,
            environment: ["PATH": "\(Repository.programs):\(inherited)"])
    }

    /// Whether a process may have limits of its own here: a namespace of users takes the right to make one. In the one of
    /// an ordinary user, root has no number, so that Eaves would not trust all of its files.
    static let canLimit =
        geteuid() == 0
        && (try? shell("unshare -Ur true", in: URL(fileURLWithPath: "/")).code) == 0
}
