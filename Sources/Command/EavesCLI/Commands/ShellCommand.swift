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
            with the exit code of the last command. On a terminal, lines can be edited and completed, if
            there is libedit.
            """,
        run: .asynchronous { try await $0.shell() })
}

extension SubcommandCall {
    fileprivate func shell() async throws -> Int32 {
        let (news, interruption) = (try EventFlag(), try EventFlag())
        let console = ShellConsole(self.terminal.console, news: news, interruption: interruption)
        let terminal = Terminal(console: console)
        let manifest = try options.choosingManifest(terminal)
        // A feature may go to another folder.
        var options = self.options
        options.values[OptionSpec.manifest.long] = [manifest.path]
        let changes = ChangeNews(terminal, isVerbose: options.has(.verbose))
        let host = try Host(manifest, options, terminal, reporting: changes.report)
        let prompt = CommandName.current.text + "> "
        let signals = ShellSignals(
            terminal, prompt: prompt, news: news, interruption: interruption
        ) { host.stop() }
        try signals.begin()
        let lines = ShellLines(console, signals, prompt: prompt) { [options] line in
            ShellCompletion(try? options.manifest()).complete(line)
        }
        let shell = Shell(
            host: host, terminal: terminal, signals: signals, lines: lines, news: changes,
            options: options)
        let following = shell.follow()
        defer {
            following?.end()
            host.stop()
        }
        return try await shell.run()
    }
}
