// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

/// Something that a person can launch by name.
public protocol Feature: Sendable {
    /// Runs the feature to its end.
    ///
    /// As an `async` `main`, it begins on the first thread, and may go on at another one when it has
    /// waited for something. As long as it blocks the first, without waiting, the main actor rests.
    ///
    /// - Parameter launch: The arguments, and where to read and write.
    /// - Returns: The exit code.
    /// - Throws: Anything that the feature does not answer for itself. ``ConsoleError`` ends the
    ///   command as a failed input or output, ``UsageError`` as wrong arguments.
    func launch(_ launch: Launch) async throws -> ExitCode
}
