// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

public import EavesInterface
import Synchronization

/// A console whose input is given beforehand, and whose output can be read afterwards.
///
/// Safe from any thread, as consoles are.
public final class TestConsole: Console {
    private struct Script {
        var input: ArraySlice<String>
        var output = ""
        var warnings: [String] = []
    }

    /// Whether it has input: then somebody sits there who can be asked.
    public let isInteractive: Bool
    private let script: Mutex<Script>

    /// - Parameter input: What is typed, a line each; without it, nobody sits there.
    public init(input: [String]? = nil) {
        isInteractive = input != nil
        script = Mutex(Script(input: (input ?? [])[...]))
    }

    /// What was written so far.
    public var output: String { script.withLock { $0.output } }

    /// What was written so far, line by line, without the ends of the lines.
    public var lines: [String] {
        var lines = output.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        if lines.last == "" { lines.removeLast() }
        return lines
    }

    /// The messages to the person so far, beside the output.
    public var warnings: [String] { script.withLock { $0.warnings } }

    /// The next line of the input; `nil` when all were read.
    public func readLine() -> String? {
        script.withLock { $0.input.popFirst() }
    }

    /// Keeps a text as output.
    public func write(_ text: String) {
        script.withLock { $0.output += text }
    }

    /// Keeps a message.
    public func warn(_ text: String) {
        script.withLock { $0.warnings.append(text) }
    }
}
