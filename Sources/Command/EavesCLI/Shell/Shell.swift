// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesDiagnostics
import EavesHost
import EavesInterface
import EavesOutput
import EavesSystem

/// A host that stays up, and the commands that a person or a script gives it, one a line.
struct Shell: Sendable {
    let host: Host
    let terminal: Terminal
    let signals: ShellSignals
    let lines: ShellLines
    let news: ChangeNews
    /// The options of `eaves shell` itself. All commands of the shell get them.
    let options: ParsedOptions

    /// The exit code after `Ctrl-C`, as all shells have it.
    private static let interrupted: Int32 = 130

    /// Begins to follow the disk. Where that is not possible, the shell still looks at the disk for each command.
    func follow() -> Following? {
        do throws(HostError) {
            return Following(try host.follow())
        } catch {
            error.diagnostics.forEach(terminal.warn)
            return nil
        }
    }

    /// Takes commands until `quit`, the end of the input, or a signal that ends the shell.
    ///
    /// - Returns: The exit code of the last command, or 128 and the number of the signal.
    /// - Throws: `ConsoleError` if the shell cannot read or write any more.
    func run() async throws -> Int32 {
        var last: Int32 = 0
        while true {
            if let signal = signals.ending { return 128 + signal }
            let line: String
            switch try await lines.next() {
            case .end: return signals.ending.map { 128 + $0 } ?? last
            case .discarded:
                last = Self.interrupted
                continue
            case .text(let text): line = text
            }
            do {
                guard let words = try words(of: line) else { continue }
                guard let code = try await execute(words, after: last) else { return last }
                last = code
                try terminal.finish()
            } catch {
                // The output of the next commands would be lost, too.
                if Messages.consoleError(in: error) == .writing(.brokenPipe) { throw error }
                terminal.finish(after: error)
                last = Messages.exitCode(of: error)
            }
        }
    }

    /// The words of a line; `nil` if there are none.
    private func words(of line: String) throws(ShellLineError) -> [String]? {
        let words = try ShellWords.split(line)
        return words.isEmpty ? nil : words
    }

    /// Runs one command.
    ///
    /// - Returns: Its exit code; `nil` if the shell is to end.
    private func execute(_ words: [String], after last: Int32) async throws -> Int32? {
        let command = try command(words[0])
        guard
            let own = try Invocation.options(
                Array(words.dropFirst()), of: command, behind: options, inShell: true)
        else {
            try terminal.write(Help.text(of: command, inShell: true))
            return 0
        }
        let call = SubcommandCall(options: own, terminal: terminal)
        switch command.run {
        case .synchronous(let run):
            guard command.changesManifest else { return try run(call) }
            return try news.holding {
                let code = try run(call)
                host.catchUp()
                return code
            }
        case .asynchronous(_, let run): return try await run(call)
        case .inShell(let run): return try await run(self, own)
        }
    }

    /// Prints the generations of the shell's host.
    func showGenerations(_ options: ParsedOptions) throws -> Int32 {
        host.catchUp()
        let report = GenerationsReport(host.generations)
        if options.has(.json) {
            try terminal.write(report.json)
        } else {
            try terminal.write(report.text)
        }
        return 0
    }

    /// Prints the help of all commands, or of one.
    func showHelp(_ options: ParsedOptions) throws -> Int32 {
        let text = try options.operands.first.map { word throws(ShellLineError) in
            Help.text(of: try command(word), inShell: true)
        }
        try terminal.write(text ?? Help.shell)
        return 0
    }

    private func command(_ word: String) throws(ShellLineError) -> Subcommand {
        if let command = Subcommand.ofShell.first(where: { $0.name == word }) {
            return command
        }
        if host.features.contains(where: { $0.name == word }) { throw .feature(word) }
        throw .unknownCommand(word, known: Subcommand.ofShell.map(\.name))
    }

    /// Runs a feature until it ends. A signal cancels its task.
    func launch(_ options: ParsedOptions) async throws -> Int32 {
        host.catchUp()
        guard let feature = options.operands.first ?? host.defaultFeature else {
            throw CommandError.noFeature(manifest: host.manifestPath, features: host.features)
        }
        let task = Task { [host, terminal] in
            try await host.launch(
                feature, Array(options.operands.dropFirst()),
                console: FeatureConsole(terminal, feature: feature))
        }
        signals.beginRunning { task.cancel() }
        let result = await task.result
        guard signals.endRunning() else { return Int32(try result.get().rawValue) }
        // A terminal shows '^C' where the feature has left the cursor.
        if terminal.console.isInteractive { try terminal.write("\n") }
        do {
            return Int32(try result.get().rawValue)
        } catch {
            // A feature that was asked to end has no reason to complain about that.
            guard error.isOfInterruption else { throw error }
            try terminal.finish()
            return Self.interrupted
        }
    }
}

extension Error {
    /// Whether a feature ended with this error because its task was cancelled.
    fileprivate var isOfInterruption: Bool {
        if let error = self as? HostError { return error.cause?.isOfInterruption ?? false }
        return self is CancellationError || self is ConsoleError
    }
}
