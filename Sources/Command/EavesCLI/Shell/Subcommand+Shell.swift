// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

extension Subcommand {
    /// All commands of a shell, in the order of the overview.
    static let ofShell: [Subcommand] = [
        list, launchInShell, inspect, swap, rollback, history, enable, disable, generationsInShell,
        helpInShell, quit,
    ]

    /// `launch` in a shell: the shell's own options chose the modules.
    private static let launchInShell = Subcommand(
        name: launch.name,
        summary: launch.summary,
        operands: launch.operands,
        operandCount: 0...Int.max,
        completed: launch.completed,
        options: [],
        stopsAtOperand: true,
        discussion: """
            Runs the feature with the arguments in this host. Without a feature, it runs the one that the
            manifest names under 'launch'. The feature reads the next lines of the shell's input. Ctrl-C
            asks it to end.
            """,
        run: .inShell { try await $0.launch($1) })

    private static let generationsInShell = Subcommand(
        name: "generations",
        summary: "show the versions of modules that this host has loaded",
        options: [.json],
        discussion: """
            Shows each generation with its state and, if it serves no longer, how many of its instances live.
            """,
        run: .inShell { try $0.showGenerations($1) })

    private static let helpInShell = Subcommand(
        name: "help",
        summary: "show all commands, or how to use one",
        operands: "[COMMAND]",
        operandCount: 0...1,
        completed: [.command],
        options: [],
        discussion: "All commands take '--help', too.",
        run: .inShell { try $0.showHelp($1) })

    private static let quit = Subcommand(
        name: "quit",
        summary: "end the shell",
        options: [],
        discussion: "Its exit code is that of the command before.",
        run: .inShell { _, _ in nil })
}
