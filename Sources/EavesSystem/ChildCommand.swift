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
    /// An open descriptor to be its standard input; `nil` for an empty one. It has to stay open
    /// until the child is started, and the child reads on from where it stands.
    package var input: Int32?
    /// Whether it may ask the person at the terminal, for a passphrase. It then stays in our process
    /// group, and what it has started is not ended with it.
    package var mayAsk = false

    package init(
        _ executable: String, _ arguments: [String] = [], environment: Environment = .current
    ) {
        self.executable = executable
        self.arguments = arguments
        self.environment = environment
    }
}
