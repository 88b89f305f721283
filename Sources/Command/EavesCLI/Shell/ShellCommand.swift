// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesDiagnostics
import EavesHost
import EavesManifest
import EavesOutput
import EavesSystem

extension Subcommand {
    /// `eaves shell`
    static let shell = Subcommand(
        name: "shell",
        summary: "start a host that stays up and takes commands",
        options: [.by, .manifest, .verbose, .with, .noBuild],
        discussion: """
            Takes one command a line, until 'quit' or the end of the input; 'help' shows them. The host
            follows the manifest and the modules' files meanwhile, and prints what it has taken on. It exits
            with the exit code of the last command. 'rlwrap eaves shell' edits lines and remembers them.
            """,
        run: .asynchronous { try await $0.shell() })

    /// All commands of a shell, in the order of the overview.
    static let ofShell: [Subcommand] = [
        list, launchInShell, inspect, swap, rollback, history, enable, disable, generationsInShell,
        helpInShell, quit,
    ]

    /// `launch` in a shell: the shell's own options chose the modules.
    private static let launchInShell = Subcommand(
        name: launch.name, summary: launch.summary, operands: launch.operands,
        operandCount: launch.operandCount, options: [], stopsAtOperand: true,
        discussion: """
            Runs the feature with the arguments in this host. Without a feature, it runs the one that the
            manifest names under 'launch'. The feature reads the next lines of the shell's input. Ctrl-C
            asks it to end.
            """,
        run: .inShell { try await $0.launch($1) })

    private static let generationsInShell = Subcommand(
        name: "generations", summary: "show the versions of modules that this host has loaded",
        options: [.json],
        discussion: "Shows each generation with its state and how many of its instances live.",
        run: .inShell { shell, options in
            shell.host.catchUp()
            let report = GenerationsReport(shell.host.generations)
            try options.has(.json)
                ? shell.terminal.write(report.json) : shell.terminal.write(report.text)
            return 0
        })

    private static let helpInShell = Subcommand(
        name: "help", summary: "show all commands, or how to use one", operands: "[COMMAND]",
        operandCount: 0...1, options: [], discussion: "All commands take '--help', too.",
        run: .inShell { shell, options in
            let command = try options.operands.first.map(shell.command)
            try shell.terminal.write(command.map { Help.text(of: $0, inShell: true) } ?? Help.shell)
            return 0
        })

    private static let quit = Subcommand(
        name: "quit", summary: "end the shell", options: [],
        discussion: "Its exit code is that of the command before.", run: .inShell { _, _ in nil })
}

extension SubcommandCall {
    fileprivate func shell() async throws -> Int32 {
        let manifest = try options.choosingManifest(terminal)
        // A feature may go to another folder.
        var options = self.options
        options.values[OptionSpec.manifest.long] = [manifest.path]
        let isVerbose = options.has(.verbose)
        let news = ChangeNews { [terminal] in terminal.report($0, isVerbose: isVerbose) }
        let host = try Host(manifest, options, terminal, reporting: news.report)
        let signals = try ShellSignals(terminal) { host.stop() }
        var following: Host.Following?
        do throws(HostError) {
            following = try host.follow()
        } catch {
            // The shell still looks at the disk for each command.
            error.problems.forEach(terminal.warn)
        }
        defer {
            following?.end()
            host.stop()
        }
        return try await Shell(
            host: host, terminal: terminal, signals: signals, news: news, options: options
        ).run()
    }
}
