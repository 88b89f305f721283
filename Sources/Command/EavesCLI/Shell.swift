// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesCompiler
import EavesDiagnostics
import EavesHost
import EavesInterface
import EavesManifest
import EavesOutput
import EavesProcess
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
                let split = ShellLine(line)
                if let mark = split.unfinished {
                    throw CommandError.unfinishedQuotation(mark, line)
                }
                guard !split.words.isEmpty else { continue }
                guard let code = try await execute(split.words) else { return last }
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
        throw .unknownCommand(word, known: Subcommand.ofShell.map(\.name), overview: "help")
    }

    /// Runs a feature until it ends. A signal cancels its task.
    func launch(_ options: ParsedOptions) async throws -> Int32 {
        host.catchUp()
        guard let feature = options.operands.first ?? host.defaultFeature else {
            throw CommandError.noFeature(manifest: host.manifestPath, features: host.features)
        }
        let console = FeatureConsole(
            terminal: terminal, feature: feature, interruption: signals.interruption)
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
        options: [], stopsAtOperand: true,
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
            let report = GenerationsReport(generations: shell.host.generations)
            try SubcommandCall(options: options, terminal: shell.terminal)
                .print(report.json, or: report.text)
            return 0
        })

    private static let helpInShell = Subcommand(
        name: "help", summary: "show all commands, or how to use one", operands: "[COMMAND]",
        options: [], discussion: "All commands take '--help', too.",
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

/// Takes the signals of a shell: each asks the feature that runs to end, and ends the shell. `Ctrl-C` of a person only
/// asks the feature, once. A feature with a handler of its own gets the signals itself, until it ends.
///
/// Safe from any thread. A process has one.
final class ShellSignals: Sendable {
    enum Activity {
        case working, reading
        /// A feature runs, and is asked to end by this.
        case running(cancel: @Sendable () -> Void)
    }

    private struct State {
        var activity = Activity.working
        /// Whether the feature that runs has been asked to end.
        var isAsked = false
        /// The signal that ends the shell, and when it does even if the feature goes on.
        var ending: Int32?, deadline: ContinuousClock.Instant?
    }

    private static let numbers = [SIGINT, SIGTERM, SIGHUP]
    private let state = Mutex(State())
    private let isInteractive: Bool
    /// The end of the modules, before a signal ends the process.
    private let cleanUp: @Sendable () -> Void
    /// Noted while the feature that runs is asked to end.
    let interruption: EventFlag

    /// Begins to take signals.
    ///
    /// - Throws: `SystemError` if the system has no further descriptor or thread.
    init(_ terminal: Terminal, cleanUp: @escaping @Sendable () -> Void) throws(SystemError) {
        isInteractive = terminal.console.isInteractive
        self.cleanUp = cleanUp
        interruption = try EventFlag()
        try SignalListener.begin(
            Self.numbers, until: { [self] in state.withLock { $0.deadline } },
            take: { [self] in take($0) }, expire: { [self] in exit(by: ending ?? SIGTERM) })
    }

    var ending: Int32? { state.withLock { $0.ending } }

    func begin(_ activity: Activity) {
        state.withLock { ($0.activity, $0.isAsked) = (activity, $0.ending != nil) }
        if ending != nil, case .running(let cancel) = activity { cancel() }
    }

    /// Ends what was begun; returns whether the feature was asked to end.
    @discardableResult
    func end() -> Bool {
        interruption.take()
        // The feature may have left handlers of its own.
        SignalListener.intercept(Self.numbers)
        return state.withLock { state in
            (state.activity, state.deadline) = (.working, nil)
            return state.isAsked
        }
    }

    private func take(_ number: Int32) {
        let isInterrupt = number == SIGINT && isInteractive
        let cancel = state.withLock { state -> (@Sendable () -> Void)? in
            switch state.activity {
            case .working where isInterrupt: return nil
            case .reading where isInterrupt:
                // The terminal has discarded the line itself. The thread that reads has the console.
                let bytes = Array("\n\(Shell.prompt)".utf8)
                _ = write(STDOUT_FILENO, bytes, bytes.count)
                return nil
            // The thread that reads cannot be woken.
            case .reading: return { [self] in exit(by: number) }
            case .working, .running: break
            }
            // A signal before this one has asked already.
            if isInterrupt ? state.isAsked : state.ending != nil { Glibc.exit(128 + number) }
            if !isInterrupt { state.ending = number }
            guard case .running(let cancel) = state.activity else { return nil }
            state.isAsked = true
            if !isInterrupt { state.deadline = .now + .seconds(2) }
            return cancel
        }
        guard let cancel else { return }
        interruption.note()
        cancel()
    }

    private func exit(by number: Int32) {
        cleanUp()
        Glibc.exit(128 + number)
    }
}
