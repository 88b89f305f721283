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
            throw CommandError.unknownShell(
                options.operands[0], known: CompletionScript.allCases.map(\.rawValue))
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
        var completion = Completion(
            AnySubcommand.all.map { CompletedCommand($0.type) }
                + [CompletedCommand(name: "help", summary: "show help", operands: [.command])],
            try? manifest(words))
        completion.globalOptions = Invocation.globalOptions
        let found = completion.candidates(after: words.dropLast(), for: words.last ?? "")
        let lines = found.map { candidate in
            candidate.summary.isEmpty ? candidate.word : "\(candidate.word)\t\(candidate.summary)"
        }
        try terminal.write(lines.map { $0 + "\n" }.joined())
        return 0
    }

    /// The manifest that the words before name, or the one at hand.
    private func manifest(_ words: [String]) throws -> Manifest {
        let option = "--" + OptionSpec.manifest.long
        var named = ParsedOptions()
        for (index, word) in words.enumerated() {
            if word == option, index + 1 < words.count - 1 {
                named.values[OptionSpec.manifest.long] = [words[index + 1]]
            } else if word.hasPrefix(option + "=") {
                named.values[OptionSpec.manifest.long] = [String(word.dropFirst(option.count + 1))]
            }
        }
        return try named.manifest()
    }
}
