// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesChild
import EavesDiagnostics
package import EavesSystem
import Glibc

/// The text that a compiler has printed, read for what a person would be told in other words.
package struct CompilerOutput {
    private let lines: [Substring]

    package init(_ text: String) {
        lines = Self.withoutColors(text).split(whereSeparator: \.isNewline)
    }

    package var errors: [(line: Substring, message: Substring)] {
        lines.compactMap { line in Self.errorMessage(in: line).map { (line, $0) } }
    }

    /// The last line, without the words before its message: what a program that prints its progress says of its failure.
    package var lastMessage: String {
        let last = lines.last { !$0.allSatisfy(\.isWhitespace) } ?? "it does not say why"
        return String((Self.errorMessage(in: last) ?? last).drop(while: \.isWhitespace))
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
            if String(message).includes(limit) { return .fileTooBig }
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

    /// A function that gets the text that is shown of a module's output.
    private let show: (Int, String) -> Void

    package init(show: @escaping (Int, String) -> Void) { self.show = show }

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
    package mutating func add(_ piece: [UInt8], of module: Int) {
        streams[module]?.waiting.append(piece)
        if speaker == nil { speaker = module }
        if speaker == module { showLines(of: module) }
    }

    /// Ends with a module.
    ///
    /// - Parameter showsRest: Whether to show lines about the added entry point.
    package mutating func end(_ module: Int, showsRest: Bool) {
        showLines(of: module)
        if var stream = streams.removeValue(forKey: module) {
            var rest = showsRest ? stream.shown(stream.waiting.bytes) : ""
            rest += stream.repeated?.finish() ?? ""
            if !rest.isEmpty { show(module, rest) }
        }
        guard speaker == module else { return }
        speaker = streams.filter { $0.value.waiting.count > 0 }.keys.min()
        if let speaker { showLines(of: speaker) }
    }

    private mutating func showLines(of module: Int) {
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

/// Leaves out messages that were printed before, from the output of programs that run several compilers for the same
/// sources: SwiftPM has one for the binary interface of a target and others for its code, and each of them reports a
/// mistake that all of them see.
///
/// A message is the line that reports an error or a warning, with what belongs to it: the files that include its place
/// before it, the lines of the source and the notes after it.
///
/// Modules that depend on the same package compile it once each, and so the builds of one run share what was printed.
package struct RepeatedMessages {
    /// The messages that were printed, for the builds of one run. They take turns on one thread.
    final class Printed {
        fileprivate var messages: Set<String> = []
    }

    private let printed: Printed
    /// The lines of the message that is not complete yet.
    private var message = ""
    /// Whether the message has the line that reports something.
    private var hasHead = false

    init(_ printed: Printed = Printed()) {
        self.printed = printed
    }

    /// Takes whole lines.
    ///
    /// - Returns: The messages that have become complete, without those that came before, and lines that belong to no
    ///   message.
    mutating func pass(_ lines: String) -> String {
        var passed = ""
        for line in Self.lines(of: lines) {
            if hasHead, !Self.belongsToLast(line) { passed += finish() }
            if hasHead || line.hasPrefix(Self.inclusion) {
                message += line
            } else if Self.reports(line) {
                message += line
                hasHead = true
            } else {
                passed += message + line
                message = ""
            }
        }
        return passed
    }

    /// Takes the end of the output, which completes the last message.
    mutating func finish() -> String {
        defer { (message, hasHead) = ("", false) }
        // Behind the last message stands another number of empty lines.
        var words = message[...]
        while words.last == "\n" { words.removeLast() }
        return printed.messages.insert(String(words)).inserted ? message : ""
    }

    /// How Clang's lines about the files that include a place begin.
    private static let inclusion = "In file included from "

    /// Whether a line begins a message. The addresses of explanations, such as `[#Name]: <https://…>`, come behind the
    /// last one, and count as messages of their own.
    private static func reports(_ line: Substring) -> Bool {
        let text = String(line)
        return text.includes("error: ") || text.includes("warning: ") || text.hasPrefix("[#")
    }

    /// Whether a line continues a message: a line of the source below it, with or without its number, or a note.
    private static func belongsToLast(_ line: Substring) -> Bool {
        guard let first = line.unicodeScalars.first else { return true }
        if first == " " || first == "\t" || first == "\n" || first == "|" { return true }
        let margin = line.drop { $0.isNumber }
        if margin.startIndex != line.startIndex, margin.hasPrefix(" |") { return true }
        return String(line).includes(": note: ")
    }

    private static func lines(of text: String) -> [Substring] {
        var lines: [Substring] = []
        var rest = text[...]
        while !rest.isEmpty {
            let end = rest.utf8.firstIndex(of: UInt8(ascii: "\n")).map {
                rest.utf8.index(after: $0)
            }
            lines.append(rest[..<(end ?? rest.endIndex)])
            rest = rest[(end ?? rest.endIndex)...]
        }
        return lines
    }
}
