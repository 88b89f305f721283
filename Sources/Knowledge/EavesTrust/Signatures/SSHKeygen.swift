// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesProcess
import EavesSystem

/// Runs OpenSSH's `ssh-keygen`, which makes and checks signatures: Eaves has no cryptography of its
/// own.
struct SSHKeygen: Sendable {
    /// The purpose that a signature names; one that was made for another purpose does not count.
    static let namespace = "eaves"

    /// The result of a run.
    struct Outcome {
        let isSuccess: Bool
        let output: String
    }

    /// The tool's path.
    private let executable: String

    /// Finds the tool, and checks who can change it.
    init() throws(ToolError) {
        executable = try ToolFinder(searchPath: Environment.current["PATH"]).find("ssh-keygen")
    }

    /// Runs `ssh-keygen -Y`.
    ///
    /// - Parameters:
    ///   - arguments: The words after `-Y`.
    ///   - path: The file for its standard input; empty input if `nil`.
    ///   - mayAsk: Whether it may ask for a passphrase, at the terminal or through an agent.
    /// - Throws: ``SystemError`` if the file cannot be opened or the program cannot be run.
    func run(
        _ arguments: [String], input path: String? = nil, mayAsk: Bool = false
    ) throws(SystemError) -> Outcome {
        var command = ChildCommand(
            executable, ["-Y"] + arguments,
            environment: Self.environment(of: .current, mayAsk: mayAsk))
        command.mayAsk = mayAsk
        let report: (ending: ChildEnding, output: [UInt8])
        if let path {
            let file = try OpenFile(reading: path)
            command.input = file.descriptor
            report = try Self.start(command, reading: file)
        } else {
            report = try ChildProcess.run(command)
        }
        return Outcome(
            isSuccess: report.ending.isSuccess,
            output: String(decoding: report.output, as: UTF8.self))
    }

    /// Borrows the file, so that it stays open until the child has ended.
    private static func start(
        _ command: ChildCommand, reading file: borrowing OpenFile
    ) throws(SystemError) -> (ending: ChildEnding, output: [UInt8]) {
        try ChildProcess.run(command)
    }

    /// The variables that the tool gets. Checking gets only `PATH`, so that no other variable can
    /// influence the result. Signing also gets those that lead to a terminal or an agent.
    static func environment(of current: Environment, mayAsk: Bool) -> Environment {
        var kept: [String] = []
        if mayAsk {
            kept += ["HOME", "TERM", "DISPLAY", "WAYLAND_DISPLAY"]
            kept += ["SSH_AUTH_SOCK", "SSH_ASKPASS", "SSH_ASKPASS_REQUIRE"]
        }
        var environment = Environment(["LC_ALL=C"])
        environment["PATH"] = ToolFinder(searchPath: current["PATH"]).searchPath
        for name in kept {
            if let value = current[name] { environment[name] = value }
        }
        return environment
    }
}
