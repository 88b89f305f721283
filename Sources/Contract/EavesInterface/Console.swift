// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

/// The input and output of a feature: the standard streams, or a double in a test.
public protocol Console: Sendable {
    /// Whether a person can answer questions, as at a terminal.
    var isInteractive: Bool { get }

    /// Waits for a line of input and returns it without its line ending.
    ///
    /// - Returns: The line, or `nil` at the end of the input.
    /// - Throws: ``ConsoleError`` if reading fails.
    func readLine() throws(ConsoleError) -> String?

    /// Writes a text as it is.
    ///
    /// - Throws: ``ConsoleError`` if the text cannot be written completely, for example because the
    ///   reader of a pipe has gone.
    func write(_ text: String) throws(ConsoleError)

    /// Shows a message to the person, separately from the output.
    func warn(_ text: String)

    /// Lets the reader of the output have now what was written so far. Otherwise, that may stay in a buffer for a moment.
    ///
    /// - Throws: ``ConsoleError`` if the text cannot be written completely.
    func flush() throws(ConsoleError)
}

extension Console {
    /// The default does nothing: there is no buffer.
    public func flush() throws(ConsoleError) {}

    /// Writes a line.
    ///
    /// - Throws: ``ConsoleError`` if the line cannot be written completely.
    public func print(_ line: String) throws(ConsoleError) {
        try write(line + "\n")
    }

    /// Writes a question and waits for the answer.
    ///
    /// - Returns: The answer, or `nil` at the end of the input.
    /// - Throws: ``ConsoleError`` if writing or reading fails.
    public func ask(_ question: String) throws(ConsoleError) -> String? {
        try write(question)
        return try readLine()
    }
}

/// An error of reading the standard input or writing the standard output.
public struct ConsoleError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The failure and its reason, such as `cannot write standard output: Broken pipe`.
    public let description: String

    /// Creates an error.
    ///
    /// - Parameter description: The failure and its cause.
    public init(_ description: String) {
        self.description = description
    }
}
