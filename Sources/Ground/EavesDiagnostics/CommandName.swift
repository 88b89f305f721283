// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// The name of the command that messages tell people to run.
///
/// Messages are written for `eaves`, as in "run 'eaves build weather'". A program may offer the same command
/// under a name of its own. This is the one place that puts that name into messages: a ``Diagnostic`` and
/// a terminal apply it to their texts.
package struct CommandName: Hashable, Sendable {
    /// The name that messages are written for.
    package static let usual = "eaves"

    private static let chosen = Mutex(CommandName())

    package static var current: CommandName {
        chosen.withLock { $0 }
    }

    /// Sets the name of this process's command. Called once, before the first message is made.
    package static func choose(_ name: CommandName) {
        chosen.withLock { $0 = name }
    }

    /// The word on the command line.
    package let text: String
    /// The words that follow it in messages: subcommands, and options without one.
    private let following: Set<String>

    /// - Parameter subcommands: The words that make a quoted text a call of the command: a file may be named
    ///   `eaves stuff`.
    package init(_ text: String = Self.usual, subcommands: [String] = []) {
        self.text = text
        following = Set(subcommands + ["COMMAND", "--help", "--version"])
    }

    /// A message with this name in each call of the command that it quotes, and at its beginning, where it
    /// says who speaks.
    package func applied(to message: String) -> String {
        guard text != Self.usual else { return message }
        let renamed = message.substituting("'" + Self.usual, with: "'" + text, where: isCall)
        guard message.hasPrefix(Self.usual + ": ") else { return renamed }
        return text + renamed.dropFirst(Self.usual.count)
    }

    /// Whether this follows the command's name in a quoted call.
    private func isCall(_ rest: Substring) -> Bool {
        if rest.first == "'" { return true }
        guard rest.first == " " else { return false }
        return following.contains(String(rest.dropFirst().prefix { $0 != " " && $0 != "'" }))
    }
}

// The words of commands that a `fix:` shows. A person pastes them into a shell.

extension String {
    /// The text as one word of a shell's command line, for any shell like `sh`.
    ///
    /// Most texts stay as they are. A word has no control characters, so that nothing in it is escaped
    /// when it is printed: `printf` makes them when the command is run.
    package var shellWord: String {
        if !isEmpty, utf8.allSatisfy(\.isPlainInShell) { return self }
        guard isOneLine else { return printed }
        let isHarmlessInQuotes = !utf8.contains { #"$`"\!"#.utf8.contains($0) }
        // The command itself stands in single quotes.
        return isHarmlessInQuotes ? "\"\(self)\"" : "'\(replacingQuotes)'"
    }

    /// The text as a path on a shell's command line: no command takes it for an option.
    package var shellPath: String {
        utf8.first == UInt8(ascii: "-") ? "./\(self)".shellWord : shellWord
    }

    private var replacingQuotes: String {
        unicodeScalars.split(separator: "'", omittingEmptySubsequences: false).map { String($0) }
            .joined(separator: #"'\''"#)
    }

    /// A call of `printf` in the place of the word. It gives back all bytes; the shell alone would cut off
    /// line breaks at the end, so a text with such an end is written in the newer form `$'…'`.
    private var printed: String {
        let endsWithBreak = utf8.last == UInt8(ascii: "\n")
        var format = ""
        for scalar in unicodeScalars {
            switch scalar {
            case "\\": format += #"\\"#
            case "%" where !endsWithBreak: format += "%%"
            case "'": format += Self.octal(scalar)
            case "-" where format.isEmpty: format += Self.octal(scalar)
            default:
                if scalar.isHarmless {
                    format.unicodeScalars.append(scalar)
                } else {
                    format += Self.octal(scalar)
                }
            }
        }
        return endsWithBreak ? "$'\(format)'" : "\"$(printf '\(format)')\""
    }

    private static func octal(_ scalar: Unicode.Scalar) -> String {
        String(scalar).keptBytes.map { byte in
            let digits = String(byte, radix: 8)
            return #"\"# + String(repeating: "0", count: 3 - digits.utf8.count) + digits
        }.joined()
    }
}

extension UInt8 {
    /// Whether a shell takes the byte as it is, wherever in a word it stands.
    fileprivate var isPlainInShell: Bool {
        switch self {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: "_@%+=:,./-".utf8.contains(self)
        }
    }
}
