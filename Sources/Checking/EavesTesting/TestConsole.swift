// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

public import EavesInterface
import Synchronization

/// A console that reads prepared input and keeps the output for the test.
///
/// Safe from any thread, like every console.
public final class TestConsole: Console {
    private struct State {
        var input: ArraySlice<String>
        var output = ""
        var warnings: [String] = []
    }

    /// Whether the console was given input, so that features may ask questions.
    public let isInteractive: Bool
    private let state: Mutex<State>

    /// Creates a console.
    ///
    /// - Parameter input: The lines that a person types. With `nil`, the console is not interactive.
    public init(input: [String]? = nil) {
        isInteractive = input != nil
        state = Mutex(State(input: (input ?? [])[...]))
    }

    /// Everything that was written so far.
    public var output: String { state.withLock { $0.output } }

    /// The lines that were written so far, without their line endings.
    public var lines: [String] {
        var lines = output.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        if lines.last == "" { lines.removeLast() }
        return lines
    }

    /// The messages to the person so far, which are not part of the output.
    public var warnings: [String] { state.withLock { $0.warnings } }

    /// Returns the next line of the input, or `nil` after the last one.
    public func readLine() -> String? {
        state.withLock { $0.input.popFirst() }
    }

    /// Adds a text to the output.
    public func write(_ text: String) {
        state.withLock { $0.output += text }
    }

    /// Adds a message to the warnings.
    public func warn(_ text: String) {
        state.withLock { $0.warnings.append(text) }
    }
}

/// The result of a feature that a test launched.
public struct TestLaunch: Hashable, Sendable {
    /// The feature's exit code.
    public let exitCode: ExitCode
    /// Everything that the feature wrote.
    public let output: String
    /// The feature's messages to the person, which are not part of the output.
    public let warnings: [String]

    /// Creates the result that a test expects.
    ///
    /// - Parameters:
    ///   - exitCode: The feature's exit code.
    ///   - output: Everything that the feature wrote.
    ///   - warnings: The feature's messages to the person, which are not part of the output.
    public init(exitCode: ExitCode = .success, output: String = "", warnings: [String] = []) {
        self.exitCode = exitCode
        self.output = output
        self.warnings = warnings
    }
}
