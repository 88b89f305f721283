// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

/// Where a feature reads and writes: standard input and output, or a double in a test.
public protocol Console: Sendable {
    /// Somebody sits there who can be asked.
    var isInteractive: Bool { get }

    /// The next line without its end; `nil` at the end of the input. Waits for it.
    ///
    /// - Throws: ``ConsoleError`` if reading fails.
    func readLine() throws(ConsoleError) -> String?

    /// Writes a text as it is.
    ///
    /// - Throws: ``ConsoleError`` if it cannot be written whole, such as when nobody reads any more.
    func write(_ text: String) throws(ConsoleError)

    /// Writes a message to the person, beside the output.
    func warn(_ text: String)
}

extension Console {
    /// Writes a line.
    ///
    /// - Throws: ``ConsoleError`` if it cannot be written whole.
    public func print(_ line: String) throws(ConsoleError) {
        try write(line + "\n")
    }

    /// Asks a question and waits for the answer; `nil` at the end of the input.
    ///
    /// - Throws: ``ConsoleError`` if asking or reading fails.
    public func ask(_ question: String) throws(ConsoleError) -> String? {
        try write(question)
        return try readLine()
    }
}
