// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

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
    static let executable: URL = {
        let test = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe"))
        return URL(fileURLWithPath: test ?? "").deletingLastPathComponent()
            .appendingPathComponent("eaves")
    }()

    /// What takes longer hangs, even on a busy machine. In seconds.
    static let limit = 120.0

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
        let process = Process()
        process.executableURL = program
        process.arguments = arguments
        process.currentDirectoryURL = folder
        process.environment = ProcessInfo.processInfo.environment
            .merging(environment) { _, added in added }
        process.standardInput = try FileHandle(
            forReadingFrom: input.map { try files.write("input", $0) }
                ?? URL(fileURLWithPath: "/dev/null"))
        let output = try files.write("output", "")
        let errors = try files.write("errors", "")
        process.standardOutput = try FileHandle(forWritingTo: output)
        process.standardError = try FileHandle(forWritingTo: errors)
        let ended = DispatchSemaphore(value: 0)
        process.terminationHandler = { _ in ended.signal() }
        try process.run()
        guard ended.wait(timeout: .now() + limit) == .success else {
            kill(process.processIdentifier, SIGKILL)
            let line = ([program.lastPathComponent] + arguments).joined(separator: " ")
            throw FixtureFault(what: "'\(line)' did not end within \(limit) seconds")
        }
        let isSignal = process.terminationReason == .uncaughtSignal
        return Outcome(
            code: process.terminationStatus,
            signal: isSignal ? process.terminationStatus : nil,
            output: String(decoding: try Data(contentsOf: output), as: UTF8.self),
            errors: String(decoding: try Data(contentsOf: errors), as: UTF8.self))
    }

    /// Runs a line of the shell, in which `eaves` is the command.
    static func shell(_ line: String, in folder: URL) throws -> Outcome {
        let path = executable.deletingLastPathComponent().path
        let inherited = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
        return try run(
            URL(fileURLWithPath: "/bin/sh"), ["-c", line], in: folder,
            environment: ["PATH": "\(path):\(inherited)"])
    }
}
