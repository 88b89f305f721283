// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

/// How the command is started as a probe.
package struct ProbeCommand: Sendable {
    /// The command's own file.
    package let executable: String
    /// What stands before the request.
    package let arguments: [String]

    /// - Parameters:
    ///   - executable: The command's own file.
    ///   - arguments: What stands before the request.
    package init(_ executable: String, _ arguments: [String]) {
        self.executable = executable
        self.arguments = arguments
    }
}
