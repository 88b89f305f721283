// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesDiagnostics

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

    /// The lines of a text, each with its line break.
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
