// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesSystem

/// OpenSSH's `ssh-keygen`, which makes and checks signatures: no cryptography of our own.
struct SSHKeygen: Sendable {
    /// What signatures are for; one that was made for something else does not count.
    static let namespace = "eaves"

    /// What a run left behind.
    struct Outcome {
        let isSuccess: Bool
        let output: String
    }

    /// Runs it.
    ///
    /// - Parameters:
    ///   - arguments: What stands behind `-Y`.
    ///   - path: The file that it gets as standard input; an empty one if `nil`.
    ///   - mayAsk: Whether it may ask for a passphrase, at the terminal or by an agent.
    func run(
        _ arguments: [String], input path: String? = nil, mayAsk: Bool = false
    ) throws(SystemError) -> Outcome {
        var command = ChildCommand(
            "ssh-keygen", ["-Y"] + arguments, environment: Self.environment(mayAsk: mayAsk))
        command.mayAsk = mayAsk
        let report: ChildReport
        if let path {
            let file = try OpenFile(reading: path)
            command.input = file.descriptor
            report = try Self.start(command, reading: file)
        } else {
            report = try ChildPool.run(command)
        }
        return Outcome(
            isSuccess: report.ending.isSuccess,
            output: String(decoding: report.output, as: UTF8.self))
    }

    /// The file stays open until the child has ended.
    private static func start(
        _ command: ChildCommand, reading file: borrowing OpenFile
    ) throws(SystemError) -> ChildReport {
        try ChildPool.run(command)
    }

    /// Nothing of ours has a say in whether a signature holds. An agent is another matter.
    private static func environment(mayAsk: Bool) -> Environment {
        let current = Environment.current
        var kept = ["PATH"]
        if mayAsk {
            kept += ["HOME", "TERM", "DISPLAY", "WAYLAND_DISPLAY"]
            kept += ["SSH_AUTH_SOCK", "SSH_ASKPASS", "SSH_ASKPASS_REQUIRE"]
        }
        var environment = Environment(["LC_ALL=C"])
        for name in kept {
            if let value = current[name] { environment[name] = value }
        }
        return environment
    }
}
