// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesProcess
import EavesTools
package import EavesSystem
import Glibc

/// The text that a compiler has printed, read for what a person would be told in other words.
package struct CompilerOutput {
    private let lines: [Substring]

    package init(_ text: String) {
        lines = Self.withoutColors(text).split(whereSeparator: \.isNewline)
    }

    /// The lines that report an error, with their messages.
    package var errors: [(line: Substring, message: Substring)] {
        lines.compactMap { line in Self.errorMessage(in: line).map { (line, $0) } }
    }

    /// The error number of a write that failed, because the disk is full or files may not grow so
    /// large; `nil` if none did. The compiler reports these like mistakes in the sources.
    ///
    /// - Parameter sources: The paths of the sources, whose own lines can say anything.
    package func failedWrite(besides sources: [String]) -> Errno? {
        // The signal's name would be as good a sign, but the compiler prints its number.
        let limit = "due to signal \(SIGXFSZ)"
        let prefixes = sources.map { $0 + ":" }
        for (line, message) in errors {
            if prefixes.contains(where: { line.hasPrefix($0) }) { continue }
            if message.indices.contains(where: { message[$0...].hasPrefix(limit) }) {
                return .fileTooBig
            }
            let numbers: [Errno] = [.noSpace, .quotaExceeded, .fileTooBig]
            if let found = numbers.first(where: { message.hasSuffix($0.description) }) {
                return found
            }
        }
        return nil
    }

    /// The message in a line of the form `place: error: message`, or `fatal error`; `nil` for any other line.
    private static func errorMessage(in line: Substring) -> Substring? {
        for word in ["error: ", "fatal error: ", "LLVM ERROR: "] where line.hasPrefix(word) {
            return line.dropFirst(word.count)
        }
        // Below a message, the source is shown with the numbers of its lines, and may say anything.
        let margin = line.drop { $0 == " " || $0.isNumber }
        guard margin.first != "|" else { return nil }
        let marks = [": error: ", ": fatal error: "]
        for start in line.indices where line[start] == ":" {
            if let mark = marks.first(where: line[start...].hasPrefix) {
                return line[start...].dropFirst(mark.count)
            }
        }
        return nil
    }

    /// Removes the escape sequences that colour text.
    static func withoutColors(_ text: String) -> String {
        var isEscape = false
        let kept = text.utf8.filter { byte in
            if byte == 0x1b { isEscape = true }
            defer { if byte == UInt8(ascii: "m") { isEscape = false } }
            return !isEscape
        }
        return String(decoding: kept, as: UTF8.self)
    }
}

/// Passes on what compilers print while they run, in whole lines.
///
/// Lets one of the compilers that run at the same time speak: the others' output waits until that one
/// has ended, or they have, so that the lines of two messages are not mixed.
package struct OutputRelay {
    private struct Stream {
        /// The beginning of lines about the added entry point; `nil` if there is none.
        var entryPrefix: String?
        var waiting = KeptOutput(limit: OutputRelay.limit)
        /// Whether such a line has come. It and all that follows may be replaced by an error that
        /// says the same in the words of the sources.
        var isHeldBack = false
        /// The filter for messages that were shown before; `nil` to show everything.
        var repeated: RepeatedMessages?

        /// Returns the part of whole lines that the relay shows.
        mutating func shown(_ lines: some Collection<UInt8>) -> String {
            let text = String(decoding: lines, as: UTF8.self)
            return repeated?.pass(text) ?? text
        }
    }

    /// How much of one module's output can wait. In bytes.
    private static let limit = 16 << 20

    private var streams: [Int: Stream] = [:]
    private var speaker: Int?
    private let printed = RepeatedMessages.Printed()

    package init() {}

    /// Begins with a module.
    ///
    /// - Parameters:
    ///   - entryPrefix: How lines about its added entry point begin.
    ///   - isHeldBack: Whether all lines wait until the end of the module.
    ///   - repeatsMessages: Whether the same message comes from several compilers, and is to be shown once.
    package mutating func begin(
        _ module: Int, entryPrefix: String?, isHeldBack: Bool = false, repeatsMessages: Bool = false
    ) {
        streams[module] = Stream(
            entryPrefix: entryPrefix, isHeldBack: isHeldBack,
            repeated: repeatsMessages ? RepeatedMessages(printed) : nil)
    }

    /// Takes a piece of a module's output.
    ///
    /// - Parameter show: Called with a module and lines of its output.
    package mutating func add(_ piece: [UInt8], of module: Int, show: (Int, String) -> Void) {
        streams[module]?.waiting.append(piece)
        if speaker == nil { speaker = module }
        if speaker == module { showLines(of: module, show) }
    }

    /// Ends with a module.
    ///
    /// - Parameters:
    ///   - showsRest: Whether to show lines about the added entry point.
    ///   - show: Called with a module and lines of its output.
    package mutating func end(_ module: Int, showsRest: Bool, show: (Int, String) -> Void) {
        showLines(of: module, show)
        if var stream = streams.removeValue(forKey: module) {
            var rest = showsRest ? stream.shown(stream.waiting.bytes) : ""
            rest += stream.repeated?.finish() ?? ""
            if !rest.isEmpty { show(module, rest) }
        }
        guard speaker == module else { return }
        speaker = streams.filter { $0.value.waiting.count > 0 }.keys.min()
        if let speaker { showLines(of: speaker, show) }
    }

    private mutating func showLines(of module: Int, _ show: (Int, String) -> Void) {
        guard var stream = streams[module], !stream.isHeldBack else { return }
        let bytes = stream.waiting.bytes
        guard let last = bytes.lastIndex(of: UInt8(ascii: "\n")) else { return }
        var lines = bytes[...last]
        if let held = stream.entryPrefix.flatMap({ Self.firstLine(of: lines, startingWith: $0) }) {
            lines = lines[..<held]
            stream.isHeldBack = true
        }
        stream.waiting = KeptOutput(limit: Self.limit)
        stream.waiting.append(bytes[lines.endIndex...])
        let text = stream.shown(lines)
        streams[module] = stream
        if !text.isEmpty { show(module, text) }
    }

    /// The place of the first line that begins with a text, in whatever colours.
    private static func firstLine(
        of bytes: ArraySlice<UInt8>, startingWith prefix: String
    ) -> Int? {
        for line in bytes.split(separator: UInt8(ascii: "\n")) {
            let isFound =
                line.first == 0x1b
                ? CompilerOutput.withoutColors(String(decoding: line, as: UTF8.self))
                    .hasPrefix(prefix)
                : line.starts(with: prefix.utf8)
            if isFound { return line.startIndex }
        }
        return nil
    }
}
