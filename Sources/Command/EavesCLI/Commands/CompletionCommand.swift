// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesDiagnostics
import EavesManifest

/// `eaves completion SHELL`
struct CompletionCommand: SynchronousSubcommand {
    static let name = "completion"
    static let summary = "print what a shell needs to complete commands and names"
    static let operands = "bash|fish|zsh"
    static let operandCount = 1...1
    static let completed = [CompletedWord.oneOf(CompletionScript.allCases.map(\.rawValue))]
    static let options: [OptionSpec] = []
    static let discussion = """
        Completes commands, options, and the features, modules and services of the manifest at hand.
        For bash, write 'eval "$(eaves completion bash)"' into ~/.bashrc; for zsh, the same with 'zsh'
        into ~/.zshrc, after 'compinit'; for fish, write 'eaves completion fish | source' into
        ~/.config/fish/config.fish.
        """

    private let script: CompletionScript

    init(_ options: ParsedOptions) throws {
        guard let script = CompletionScript(rawValue: options.operands[0]) else {
            throw CommandError.unknownChoice(
                of: "completion for", options.operands[0],
                known: CompletionScript.allCases.map(\.rawValue))
        }
        self.script = script
    }

    func run(_ terminal: Terminal) throws -> Int32 {
        try terminal.write(script.text(for: CommandName.current.text))
        return 0
    }
}

/// `eaves complete WORD…`: prints the words that may take the place of the last one, each with a tab and what it stands
/// for.
struct CompleteCommand: SynchronousSubcommand {
    static let name = "complete"
    static let summary = "print the words that may come next"
    static let operands = "WORD…"
    static let operandCount = 1...Int.max
    static let options: [OptionSpec] = []
    static let stopsAtOperand = true
    static let discussion = "The script of 'eaves completion' calls this, and reads what it prints."

    private let options: ParsedOptions

    init(_ options: ParsedOptions) {
        self.options = options
    }

    func run(_ terminal: Terminal) throws -> Int32 {
        let words = options.operands
        let before = Array(words.dropLast())
        var completion = Completion(
            AnySubcommand.all.map { CompletedCommand($0.type) }
                + [CompletedCommand(name: "help", summary: "show help", operands: [.command])],
            Invocation.globalOptions)
        // Where there is no manifest that can be used, the words of the command alone are offered.
        if let manifest = try? completion.line(before).options.manifest() {
            completion.add(manifest)
        }
        let found = completion.candidates(after: before, for: words.last ?? "")
        let lines = found.map { candidate in
            candidate.summary.isEmpty ? candidate.word : "\(candidate.word)\t\(candidate.summary)"
        }
        try terminal.write(lines.map { $0 + "\n" }.joined())
        return 0
    }
}
