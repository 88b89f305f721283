// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesDiagnostics
import EavesManifest
import EavesOutput

extension Subcommand {
    /// `eaves completion SHELL`
    static let completion = Subcommand(
        name: "completion",
        summary: "print what a shell needs to complete commands and names",
        operands: "bash|fish|zsh",
        operandCount: 1...1,
        completed: [CompletedWord.oneOf(CompletionScript.allCases.map(\.rawValue))],
        options: [],
        discussion: """
            Completes commands, options, and the features, modules and services of the manifest at hand.
            For bash, write 'eval "$(eaves completion bash)"' into ~/.bashrc; for zsh, the same with 'zsh'
            into ~/.zshrc, after 'compinit'; for fish, write 'eaves completion fish | source' into
            ~/.config/fish/config.fish.
            """,
        run: .synchronous { try $0.completion() })
}

extension SubcommandCall {
    fileprivate func completion() throws -> Int32 {
        guard let script = CompletionScript(rawValue: options.operands[0]) else {
            throw CommandError.unknownChoice(
                of: "completion for", options.operands[0],
                known: CompletionScript.allCases.map(\.rawValue))
        }
        try terminal.write(script.text(for: CommandName.current.text))
        return 0
    }
}

extension Subcommand {
    /// `eaves complete WORD…`: prints the words that may take the place of the last one, each with a tab and what it stands
    /// for.
    static let complete = Subcommand(
        name: "complete",
        summary: "print the words that may come next",
        operands: "WORD…",
        operandCount: 1...Int.max,
        options: [],
        stopsAtOperand: true,
        discussion: "The script of 'eaves completion' calls this, and reads what it prints.",
        run: .synchronous { try $0.complete() })
}

extension SubcommandCall {
    fileprivate func complete() throws -> Int32 {
        let words = options.operands
        let before = Array(words.dropLast())
        var completion = Completion(
            Subcommand.all.map { CompletedCommand($0) }
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
