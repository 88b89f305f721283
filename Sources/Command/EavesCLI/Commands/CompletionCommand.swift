// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesCatalog
import EavesDeclaration
import EavesDiagnostics
import EavesInterface
import EavesManifest
import EavesModules
import EavesOutput

extension Subcommand {
    static let completion = Subcommand(
        name: "completion",
        summary: "print what a shell needs to complete commands and names",
        operands: "bash|fish|zsh",
        completed: [.oneOf(CompletionScript.words)],
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
        let script = try CompletionScript.named(options.operands[0], of: "completion for")
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
            commands: Subcommand.all + [.word("help", "show help", completed: [.command])],
            globalOptions: Invocation.globalOptions)
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

/// Finds the words that may come next on a command line: commands and options, and the names of a project's features,
/// modules and services.
struct Completion: Sendable {
    let commands: [Subcommand]
    var globalOptions: [OptionSpec] = []
    var features: [Candidate] = []
    var modules: [Candidate] = []
    var interfaces: [Candidate] = []
    var providers: [String: [Candidate]] = [:]

    /// The words of which each begins with a word, in order.
    ///
    /// - Parameters:
    ///   - words: Those before it.
    ///   - word: The word that is being typed. May be empty.
    func candidates(after words: [String], for word: String) -> [Candidate] {
        all(after: words, word).filter { $0.word.hasPrefix(word) }.sorted { $0.word < $1.word }
    }

    private func all(after words: [String], _ word: String) -> [Candidate] {
        let line = line(words)
        if let option = line.open { return candidates(option.completed, []) }
        guard let command = line.command else {
            return word.hasPrefix("-")
                ? Self.candidates(of: globalOptions) : candidates(.command, [])
        }
        if word.hasPrefix("-"), !line.isOver {
            // Only a command has help.
            let help: [OptionSpec] = command.discussion.isEmpty ? [] : [.help]
            return Self.candidates(of: command.options.shown(inShell: false) + help)
        }
        return command.operand(line.options.operands.count)
            .map { candidates($0, line.options.operands) } ?? []
    }

    private func candidates(_ kind: CompletedWord, _ operands: [String]) -> [Candidate] {
        switch kind {
        case .command: commands.map { Candidate($0.name, $0.summary) }
        case .feature: features
        case .module: modules
        case .interface: interfaces
        case .service: providers.keys.map { Candidate($0) }
        case .provider: operands.last.flatMap { providers[$0] } ?? []
        case .oneOf(let words): words.map { Candidate($0) }
        case .file: []
        }
    }

    private static func candidates(of options: [OptionSpec]) -> [Candidate] {
        options.map { Candidate($0.declaration.name, $0.declaration.help) }
    }

    // MARK: The words before

    struct Line {
        fileprivate(set) var command: Subcommand?
        fileprivate(set) var options = ParsedOptions()
        fileprivate(set) var isOver = false
        /// The option whose value is the next word; `nil` if the next word is none.
        fileprivate(set) var open: OptionSpec?
    }

    func line(_ words: [String]) -> Line {
        var line = Line()
        for word in words {
            if let spec = line.open {
                line.options.values[spec.long, default: []].append(word)
                line.open = nil
            } else if word == "--", !line.isOver {
                line.isOver = true
            } else if word.hasPrefix("-"), word != "-", !line.isOver {
                let parts = word.split(separator: "=", maxSplits: 1).map(String.init)
                let spec = (line.command?.options.shown(inShell: false) ?? globalOptions).first {
                    $0.declaration.name == parts.first || $0.declaration.short == word
                }
                guard let spec, spec.declaration.kind != .flag else { continue }
                if parts.count == 2 {
                    line.options.values[spec.long, default: []].append(parts[1])
                } else if spec.value != nil {
                    line.open = spec
                }
            } else if let command = line.command {
                line.options.operands.append(word)
                line.isOver = line.isOver || command.stopsAtOperand
            } else {
                line.command = commands.first { $0.name == word } ?? .word(word)
            }
        }
        return line
    }
}

extension Completion {
    /// Adds the words of a manifest and of its modules as they are on the disk.
    mutating func add(_ manifest: Manifest) {
        let catalog = Catalog(manifest: manifest, profile: .current)
        for entry in catalog.entries where entry.isUsed {
            let module = Candidate(entry.id, entry.declaration?.summary ?? "")
            modules.append(module)
            guard let declaration = entry.declaration else { continue }
            if declaration.layer == .interface { interfaces.append(module) }
            features += declaration.features.map { Candidate($0.name, $0.summary) }
            for provision in Set(declaration.provides) {
                let key = BindingKey(
                    catalog.services.shown(provision.service), name: provision.name
                ).text
                providers[key, default: []].append(module)
            }
        }
    }
}

/// The things that an operand can be, or the value of an option, so that a shell can complete it. Files are completed by the shell.
enum CompletedWord: Hashable, Sendable {
    case command
    case feature
    case module
    case interface
    /// A service, as `swap` takes it.
    case service
    /// A module that provides the service of the operand before it.
    case provider
    case oneOf([String])
    case file
}

/// A word that may be typed, and what it stands for.
struct Candidate: Hashable, Sendable {
    let word: String
    /// One line; may be empty.
    let summary: String

    init(_ word: String, _ summary: String = "") {
        self.word = word
        self.summary = summary
    }
}

extension Subcommand {
    /// The kind of word that an operand is. Further ones are completed as the last one, if that repeats.
    fileprivate func operand(_ index: Int) -> CompletedWord? {
        let repeats = operandCount.upperBound == Int.max && !stopsAtOperand
        return completed.indices.contains(index) ? completed[index] : repeats ? completed.last : nil
    }

    /// A word in the place of a command, as far as completion goes.
    static func word(
        _ name: String, _ summary: String = "", completed: [CompletedWord] = []
    ) -> Subcommand {
        Subcommand(
            name: name, summary: summary, completed: completed, options: [], discussion: "",
            run: .plain { _ in })
    }
}
