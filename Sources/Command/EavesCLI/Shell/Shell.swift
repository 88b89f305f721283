// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesDiagnostics
import EavesHost
import EavesInterface
import EavesManifest
import EavesOutput
import EavesSystem
import Glibc
import Synchronization

/// A host that stays up, and takes one command a line from standard input.
struct Shell: Sendable {
    let host: Host
    let terminal: Terminal
    let signals: ShellSignals
    let news: ChangeNews
    /// The options of `eaves shell` itself. All commands of the shell get them.
    let options: ParsedOptions

    /// The text before each line of a person.
    static var prompt: String { CommandName.current.text + "> " }

    /// Takes commands until `quit`, the end of the input, or a signal that ends the shell.
    ///
    /// - Returns: The exit code of the last command, or 128 and the number of the signal.
    /// - Throws: `ConsoleError` if the shell cannot read or write any more.
    func run() async throws -> Int32 {
        var last: Int32 = 0
        while let line = try await nextLine() {
            do {
                let words = try Self.words(of: line)
                guard !words.isEmpty else { continue }
                guard let code = try await execute(words) else { return last }
                last = code
                try terminal.finish()
            } catch {
                // The output of the next commands would be lost, too.
                if Messages.consoleError(in: error) == .writing(.brokenPipe) { throw error }
                terminal.finish(after: error)
                last = Messages.exitCode(of: error)
            }
        }
        return signals.ending.map { 128 + $0 } ?? last
    }

    /// Waits for the next line, on a thread of its own; returns `nil` at the end.
    private func nextLine() async throws -> String? {
        let console = terminal.console
        if console.isInteractive, signals.ending == nil { try console.write(Self.prompt) }
        try console.flush()
        return try await DetachedThread.result { [signals] in
            signals.begin(.reading)
            defer { signals.end() }
            return signals.ending == nil ? try console.readLine() : nil
        }
    }

    /// Splits a line into words, as `sh` does it with simple quoting: text between two `'` stays as it is; between
    /// two `"`, a backslash takes away the meaning of `"`, `\`, `$` and a backquote; elsewhere, of any character. A
    /// word that begins with `#` begins a comment.
    static func words(of line: String) throws(CommandError) -> [String] {
        var words: [String] = []
        // Changed in place, so that the time grows with the length of the line and no faster.
        var word: String.UnicodeScalarView?
        var quote: Unicode.Scalar?
        var rest = line.unicodeScalars[...]
        while let scalar = rest.popFirst() {
            if quote == nil, " \t\r\n".unicodeScalars.contains(scalar) {
                if let ended = word.take() { words.append(String(ended)) }
                continue
            }
            if quote == nil, word == nil, scalar == "#" { return words }
            if word == nil { word = String.UnicodeScalarView() }
            switch scalar {
            case quote: quote = nil
            case "'" where quote == nil, "\"" where quote == nil: quote = scalar
            case "\\" where quote != "'":
                guard let next = rest.popFirst() else { throw .unfinishedQuotation("\\", line) }
                if quote != nil, !"\"\\$`".unicodeScalars.contains(next) { word?.append(scalar) }
                word?.append(next)
            default: word?.append(scalar)
            }
        }
        if let quote { throw .unfinishedQuotation(Character(quote), line) }
        return words + (word.map { [String($0)] } ?? [])
    }

    /// Runs one command.
    ///
    /// - Returns: Its exit code; `nil` if the shell is to end.
    private func execute(_ words: [String]) async throws -> Int32? {
        let command = try command(words[0])
        let rest = Array(words.dropFirst())
        guard let own = try Invocation.options(rest, of: command, behind: options, inShell: true)
        else {
            try terminal.write(Help.text(of: command, inShell: true))
            return 0
        }
        let call = SubcommandCall(options: own, terminal: terminal)
        switch command.run {
        case .synchronous(let run):
            guard command.changesManifest else { return try run(call) }
            news.hold()
            defer { news.release() }
            let code = try run(call)
            host.catchUp()
            return code
        case .asynchronous(_, let run): return try await run(call)
        case .inShell(let run): return try await run(self, own)
        }
    }

    func command(_ word: String) throws(CommandError) -> Subcommand {
        if let command = Subcommand.ofShell.first(where: { $0.name == word }) { return command }
        if host.features.contains(where: { $0.name == word }) { throw .featureInShell(word) }
        throw .unknownShellCommand(word, known: Subcommand.ofShell.map(\.name))
    }

    /// Runs a feature until it ends. A signal cancels its task.
    func launch(_ options: ParsedOptions) async throws -> Int32 {
        host.catchUp()
        guard let feature = options.operands.first ?? host.defaultFeature else {
            throw CommandError.noFeature(manifest: host.manifestPath, features: host.features)
        }
        let console = FeatureConsole(terminal, feature: feature, signals.interruption)
        let task = Task { [host] in
            try await host.launch(feature, Array(options.operands.dropFirst()), console: console)
        }
        signals.begin(.running { task.cancel() })
        let result = await task.result
        let wasAsked = signals.end()
        // A terminal shows '^C' where the feature has left the cursor.
        if wasAsked, console.isInteractive { try terminal.write("\n") }
        guard wasAsked, case .failure(let error) = result,
            (error as? HostError)?.cause is CancellationError
                || Messages.consoleError(in: error) != nil
        else { return Int32(try result.get().rawValue) }
        return 128 + SIGINT
    }
}

/// Prints the changes that a shell's host takes on; those during a command, after what the command prints.
final class ChangeNews: Sendable {
    private let held = Mutex<[HostChange]?>(nil)
    private let print: @Sendable (HostChange) -> Void

    init(print: @escaping @Sendable (HostChange) -> Void) { self.print = print }

    func report(_ change: HostChange) {
        if held.withLock({ $0?.append(change) }) == nil { print(change) }
    }

    func hold() { held.withLock { $0 = [] } }

    func release() { (held.withLock { $0.take() } ?? []).forEach(print) }
}

extension Subcommand {
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
            try SubcommandCall(options: options, terminal: shell.terminal)
                .print(report.json, or: report.text)
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
