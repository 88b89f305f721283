// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

/// Something that a person can launch by name.
public protocol Feature: Sendable {
    /// Runs the feature to its end.
    ///
    /// Like an `async` `main`, it starts on the process's first thread. After it has awaited
    /// something, it may continue on another thread. While it blocks the first thread without
    /// awaiting, nothing else runs on the main actor.
    ///
    /// - Parameter launch: The arguments, and the console to read from and write to.
    /// - Returns: The exit code.
    /// - Throws: Any error that the feature does not handle itself. ``ConsoleError`` ends the
    ///   command as a failed input or output, ``UsageError`` as wrong arguments.
    func launch(_ launch: Launch) async throws -> ExitCode
}

/// The result of a feature, which becomes the exit code of `eaves launch`.
public struct ExitCode: RawRepresentable, Hashable, Sendable {
    /// The number that the process exits with; 0 means success.
    public let rawValue: UInt8

    /// Creates an exit code.
    ///
    /// - Parameter rawValue: 0 for success.
    public init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    /// Creates an exit code.
    ///
    /// - Parameter code: 0 for success.
    public init(_ code: UInt8) {
        self.init(rawValue: code)
    }

    /// The feature did what it was asked to do: 0.
    public static let success = ExitCode(0)
    /// The feature ran correctly, and answers "no": 1.
    public static let failure = ExitCode(1)
}
