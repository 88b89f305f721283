// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import CEaves
import EavesDiagnostics
import EavesInterface
import EavesOutput
import Synchronization

/// The help texts, made from what the subcommands say about themselves.
enum Help {
    /// All subcommands, one per line, and the options before them.
    static var overview: String {
        """
        \(Version.product) builds feature modules, finds them, and runs their features.

        usage: \(CommandName.current.text) [OPTION…] COMMAND [ARG…]

        commands:
        \(lines(of: Subcommand.all))

        \(Invocation.parser.optionsHelp)

        See '\(CommandName.current.text) COMMAND --help' for one command.

        """
    }

    static func text(of command: Subcommand, inShell isInShell: Bool = false) -> String {
        CommandName.current.applied(to: command.parser(inShell: isInShell).help)
    }

    static var shell: String {
        lines(of: Subcommand.ofShell) + "\n\nSee 'help COMMAND' for one command.\n"
    }

    private static func lines(of commands: [Subcommand]) -> String {
        let calls = commands.map { ([$0.name, $0.operands]).filter { !$0.isEmpty } }
            .map { $0.joined(separator: " ") }
        let width = calls.map(\.count).max() ?? 0
        return zip(calls, commands).map { "  " + $0.padded(to: width) + "  " + $1.summary }
            .joined(separator: "\n")
    }
}

/// The command's version, and the versions that it offers to modules.
enum Version {
    static let number = "0.1.0"

    /// The version of the program whose command this is; empty if that is Eaves itself.
    private static let own = Mutex("")

    static func set(_ version: String) { own.withLock { $0 = version } }

    /// The name in the first line of help.
    static var product: String {
        let name = CommandName.current.text
        return name == CommandName.usual ? "Eaves" : name
    }

    static var text: String {
        let name = CommandName.current.text
        let own = self.own.withLock { $0 }
        let parts =
            "interface \(EAVES_INTERFACE_MAJOR).\(EAVES_INTERFACE_MINOR), "
            + "ABI \(EAVES_ABI_VERSION)"
        return own.isEmpty && name == CommandName.usual
            ? "\(name) \(number) (\(parts))"
            : "\(own.isEmpty ? name : "\(name) \(own)") (Eaves \(number), \(parts))"
    }
}
