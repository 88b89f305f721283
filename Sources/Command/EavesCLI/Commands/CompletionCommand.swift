// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesDiagnostics
import EavesManifest
import EavesOutput

extension Subcommand {
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
        run: .plain { try $0.completion() })
}

extension SubcommandCall {
    fileprivate func completion() throws {
        guard let script = CompletionScript(rawValue: options.operands[0]) else {
            throw CommandError.unknownChoice(
                of: "completion for", options.operands[0],
                known: CompletionScript.allCases.map(\.rawValue))
        }
        try terminal.write(script.text(for: CommandName.current.text))
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
        run: .plain { try $0.complete() })
}

extension SubcommandCall {
    fileprivate func complete() throws {
        let words = options.operands
        let before = Array(words.dropLast())
        var completion = Completion(
            Subcommand.all + [.word("help", "show help", completed: [.command])],
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
    }
}

/// The text by which a shell asks the command for the words that may come next.
enum CompletionScript: String, CaseIterable {
    case bash, fish, zsh

    func text(for command: String) -> String {
        let function = "_" + String(command.map { $0.isLetter || $0.isNumber ? $0 : "_" })
        return switch self {
        case .bash:
            """
            # Completion of '\(command)' in bash: eval "$(\(command) completion bash)"
            \(function)_complete() {
                local word summary
                COMPREPLY=()
                while IFS=$'\\t' read -r word summary; do
                    COMPREPLY+=("$word")
                done < <('\(command)' \(Subcommand.complete.name) -- "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
            }
            complete -o bashdefault -o default -F \(function)_complete '\(command)'

            """
        case .fish:
            """
            # Completion of '\(command)' in fish: \(command) completion fish | source
            function _\(function)_complete
                set -l words (commandline -opc) (commandline -ct)
                set -l found ('\(command)' \(Subcommand.complete.name) -- $words[2..-1] 2>/dev/null)
                if test (count $found) -gt 0
                    printf '%s\\n' $found
                else
                    __fish_complete_path (commandline -ct)
                end
            end
            complete -c '\(command)' -f -a '(_\(function)_complete)'

            """
        case .zsh:
            """
            # Completion of '\(command)' in zsh: eval "$(\(command) completion zsh)"
            \(function)_complete() {
                local word summary
                local -a found
                while IFS=$'\\t' read -r word summary; do
                    found+=("${word//:/\\\\:}${summary:+:$summary}")
                done < <('\(command)' \(Subcommand.complete.name) -- "${(@)words[2,CURRENT]}" 2>/dev/null)
                if (( $#found )); then _describe '\(command)' found; else _files; fi
            }
            compdef \(function)_complete '\(command)'

            """
        }
    }
}
