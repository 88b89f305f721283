// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesDiagnostics
import EavesInterface
import EavesJSON
import EavesOutput

/// One word of the command, such as `list`: it takes options, makes one call, and prints.
///
/// It stands in the table ``all``.
struct Subcommand: Sendable {
    let name: String
    /// One line for the overview of all commands.
    let summary: String
    /// The operands as help shows them, such as `FEATURE [ARG…]`.
    var operands = ""
    var operandCount = 0...0
    /// The kinds of words that the operands are, for shells that complete them.
    var completed: [CompletedWord] = []
    /// The options it takes, besides `--help`.
    let options: [OptionSpec]
    /// Whether all words from the first operand on are operands, even those that look like options.
    var stopsAtOperand = false
    /// Whether it changes the manifest, so that the host of a shell looks at the disk when it was called.
    var changesManifest = false
    /// The text of its own help below the usage line.
    let discussion: String
    /// The work of the subcommand. It returns the exit code, or throws any error that ``Messages`` turns into
    /// messages and an exit code.
    let run: Run

    enum Run: Sendable {
        /// It ends when its call returns.
        case synchronous(@Sendable (SubcommandCall) throws -> Int32)
        /// It runs code of modules, which may wait for something. `prepare` is called first, while the process has one
        /// thread.
        case asynchronous(
            prepare: @Sendable (ParsedOptions) throws -> Void = { _ in },
            @Sendable (SubcommandCall) async throws -> Int32)
        /// It is a command of a shell, and needs that. `nil` instead of an exit code ends the shell.
        case inShell(@Sendable (Shell, ParsedOptions) async throws -> Int32?)

        /// It ends when its call returns, and has done what was asked for unless it throws.
        static func plain(_ run: @escaping @Sendable (SubcommandCall) throws -> Void) -> Run {
            .synchronous { call in
                try run(call)
                return 0
            }
        }
    }

    /// All subcommands, in the order of the overview.
    static let all: [Subcommand] = [
        initialize, new, list, launch, open, shell, inspect, validate, build, verify, quarantine,
        swap,
        rollback, history, generations, enable, disable, add, remove, pin, sign, trust, interface,
        graph, audit, completion, man,
    ]

    /// Subcommands that only the command itself starts. The overview leaves them out.
    static let hidden: [Subcommand] = [complete, verifyProbe, start]

    static func named(_ word: String) -> Subcommand? {
        // A launch needs no other subcommand, and making all of them takes a hundredth of it.
        word == launch.name ? launch : (all + hidden).first { $0.name == word }
    }
}

extension Subcommand {
    /// A parser of its options, which also makes its help.
    ///
    /// - Parameter isInShell: Whether it is typed in a shell.
    func parser(inShell isInShell: Bool) -> LaunchParser {
        LaunchParser(
            options.shown(inShell: isInShell).map(\.declaration),
            feature: (isInShell ? "" : CommandName.current.text + " ") + name, summary: summary,
            command: LaunchParser.Command(
                operands: operands, discussion: discussion, stopsAtOperand: stopsAtOperand))
    }
}

/// A call of a subcommand: its options and operands, of which there are as many as it allows, and where it prints.
///
/// The file of each subcommand adds what that does.
struct SubcommandCall: Sendable {
    let options: ParsedOptions
    let terminal: Terminal

    /// Prints JSON if the options ask for it, and else a text.
    ///
    /// - Parameter isPaged: Whether a person sees a long text page by page.
    func print(
        _ json: @autoclosure () -> JSON, or text: @autoclosure () -> String, isPaged: Bool = false
    ) throws(ConsoleError) {
        if options.has(.json) { return try terminal.write(json()) }
        try isPaged ? terminal.page(text()) : terminal.write(text())
    }
}
