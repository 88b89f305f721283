// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

/// The text by which a shell asks the command for the words that may come next.
enum CompletionScript: String, CaseIterable {
    case bash, fish, zsh

    /// - Parameter command: The word by which people call the command.
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
