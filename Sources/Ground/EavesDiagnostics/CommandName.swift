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
        var renamed = ""
        var rest = Substring(message)
        if rest.hasPrefix(Self.usual + ": ") {
            renamed = text
            rest = rest.dropFirst(Self.usual.count)
        }
        while let quoted = rest.utf8.firstOccurrence(of: ("'" + Self.usual).utf8) {
            let following = rest[quoted.upperBound...]
            renamed += rest[..<quoted.lowerBound] + "'" + (isCall(following) ? text : Self.usual)
            rest = following
        }
        return renamed + rest
    }

    /// Whether this follows the command's name in a quoted call.
    private func isCall(_ rest: Substring) -> Bool {
        if rest.first == "'" { return true }
        guard rest.first == " " else { return false }
        return following.contains(String(rest.dropFirst().prefix { $0 != " " && $0 != "'" }))
    }
}
