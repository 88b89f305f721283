// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

/// What to run as a child process. No shell looks at any of it.
package struct ChildCommand: Hashable, Sendable {
    /// A path, or a name that is looked for in this process's `PATH`.
    package var executable: String
    /// Without the name of the executable itself.
    package var arguments: [String]
    /// All that the child gets to see.
    package var environment: Environment

    package init(
        _ executable: String, _ arguments: [String] = [], environment: Environment = .current
    ) {
        self.executable = executable
        self.arguments = arguments
        self.environment = environment
    }
}
