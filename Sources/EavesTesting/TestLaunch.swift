// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

public import EavesInterface

/// What a feature left behind that was launched in a test.
public struct TestLaunch: Hashable, Sendable {
    /// How it ended.
    public let exitCode: ExitCode
    /// What it wrote.
    public let output: String
    /// Its messages to the person, beside the output.
    public let warnings: [String]

    /// What a test expects, to compare with.
    ///
    /// - Parameters:
    ///   - exitCode: How it ended.
    ///   - output: What it wrote.
    ///   - warnings: Its messages to the person, beside the output.
    public init(exitCode: ExitCode = .success, output: String = "", warnings: [String] = []) {
        self.exitCode = exitCode
        self.output = output
        self.warnings = warnings
    }
}
