// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesDiagnostics

/// Splits a line into words, as `sh` does it with simple quoting: all between two `'` stays as it is; between
/// two `"`, a backslash takes away the meaning of `"`, `\`, `$` and a backquote; elsewhere, of any character. A
/// word that begins with `#` begins a comment.
enum ShellWords {
    /// - Throws: ``ShellLineError`` if a quotation does not end.
    static func split(_ line: String) throws(ShellLineError) -> [String] {
        var words: [String] = []
        // Changed in place, so that a long line takes no longer than it is long.
        var word = ""
        var isInWord = false
        var rest = line.unicodeScalars[...]
        while let scalar = rest.popFirst() {
            switch scalar {
            case " ", "\t", "\r", "\n":
                if isInWord { words.append(word) }
                (word, isInWord) = ("", false)
                continue
            case "#" where !isInWord:
                return words
            case "'":
                guard let end = rest.firstIndex(of: "'") else { throw .unclosed("'", line) }
                word += String(rest[..<end])
                rest = rest[rest.index(after: end)...]
            case "\"":
                word += try quoted(&rest, of: line)
            case "\\":
                guard let next = rest.popFirst() else { throw .endsWithBackslash(line) }
                word.unicodeScalars.append(next)
            default:
                word.unicodeScalars.append(scalar)
            }
            isInWord = true
        }
        if isInWord { words.append(word) }
        return words
    }

    /// The text up to the next `"`, which is taken from the rest, too.
    private static func quoted(
        _ rest: inout Substring.UnicodeScalarView, of line: String
    ) throws(ShellLineError) -> String {
        var text = ""
        while let scalar = rest.popFirst() {
            if scalar == "\"" { return text }
            if scalar == "\\", let next = rest.first, "\"\\$`".unicodeScalars.contains(next) {
                text.unicodeScalars.append(next)
                rest.removeFirst()
            } else {
                text.unicodeScalars.append(scalar)
            }
        }
        throw .unclosed("\"", line)
    }
}

/// Why a shell does not understand a line.
enum ShellLineError: Error, Hashable, Sendable {
    /// A quotation that begins with this character does not end.
    case unclosed(Character, String)
    case endsWithBackslash(String)
    case unknownCommand(String, known: [String])
    /// The word is no command, and the name of a feature.
    case feature(String)
}

extension ShellLineError: Diagnosable {
    var diagnostic: Diagnostic {
        switch self {
        case .unclosed(let mark, let line):
            Diagnostic(
                "a quotation does not end: expected a further \(mark), found the end of \(line.quoted)",
                fix: "close it, or write \\\(mark) for the character itself", code: .usage)
        case .endsWithBackslash(let line):
            Diagnostic(
                "a backslash ends the line \(line.quoted): expected a character after it",
                fix: "write \\\\ for the character itself", code: .usage)
        case .unknownCommand(let word, let known):
            Diagnostic(
                "unknown command \(word.quoted)" + NearMatch.suffix(for: word, among: known),
                fix: "see all commands with 'help'", code: .usage)
        case .feature(let word):
            Diagnostic(
                "unknown command \(word.quoted): it is the name of a feature",
                fix: "run it with 'launch \(word.shellWord)'", code: .usage)
        }
    }
}
