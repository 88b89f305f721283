// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesDiagnostics
import EavesHost
import EavesInterface
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
