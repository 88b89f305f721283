// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

/// Finds the texts of parameters in arguments, and makes the help: of a feature, and of a command of the host.
package struct LaunchParser {
    /// The parts of a command that a feature does not have.
    package struct Command: Sendable {
        private(set) var operands: String
        private(set) var discussion: String
        private(set) var stopsAtOperand: Bool

        /// - Parameters:
        ///   - operands: The operands as the usage line shows them. The command counts them itself.
        ///   - stopsAtOperand: Whether all words from the first operand on are operands.
        package init(operands: String, discussion: String, stopsAtOperand: Bool) {
            self.operands = operands
            self.discussion = discussion
            self.stopsAtOperand = stopsAtOperand
        }
    }

    static let advice = "see the options with '--help'"

    private let declarations: [LaunchDeclaration]
    private let feature: String?
    private let summary: String
    private let command: Command?

    /// Ends the process if parameters cannot be told apart or given. Debug builds alone check those of the command.
    package init(
        _ declarations: [LaunchDeclaration], feature: String?, summary: String,
        command: Command? = nil
    ) {
        self.declarations = declarations
        self.feature = feature
        self.summary = summary
        self.command = command
        if command == nil || _isDebugAssertConfiguration() { checkDeclarations() }
    }

    // MARK: Parsing

    /// Returns the texts that are given for each of the parameters. A flag has an empty text each time
    /// that it is given.
    func parse(_ arguments: [String]) throws -> [[String]] {
        var (texts, operands) = try split(arguments)
        try share(operands, among: &texts)
        return texts
    }

    /// Returns the texts that are given for each of the options, and the words that are none.
    ///
    /// - Throws: ``UsageError`` for a wrong option; ``HelpRequest`` if help is asked for.
    package func split(_ arguments: [String]) throws -> (texts: [[String]], operands: [String]) {
        var texts = declarations.map { _ in [String]() }
        var operands: [String] = []
        var rest = arguments[...]
        while let word = rest.popFirst() {
            if word == "--" {
                break
            } else if word.hasPrefix("--") {
                try parseLong(word, &rest, &texts)
            } else if isLetters(word) {
                try parseLetters(word, &rest, &texts)
            } else {
                operands.append(word)
                if command?.stopsAtOperand == true { break }
            }
        }
        return (texts, operands + rest)
    }

    /// Whether a word has the letters of options, as `-u` has: for a feature, a number below zero has none, unless a
    /// digit is the letter of an option.
    private func isLetters(_ word: String) -> Bool {
        guard word.hasPrefix("-"), let first = word.dropFirst().first else { return false }
        guard command == nil, first.isNumber || first == "." else { return true }
        return declarations.contains { $0.letter == first }
    }

    /// Parses `--name`, `--name value` or `--name=value`.
    private func parseLong(
        _ word: String, _ rest: inout ArraySlice<String>, _ texts: inout [[String]]
    ) throws {
        let given = word.prefix { $0 != "=" }
        let hasValue = given.endIndex != word.endIndex
        let name = fullName(given)
        guard let index = declarations.firstIndex(where: { $0.count == nil && $0.name == name })
        else {
            guard name == "--help" else { throw unknown(name) }
            guard command != nil, hasValue else { throw HelpRequest(help) }
            throw UsageError("option '\(name)' takes no value", fix: Self.advice)
        }
        if hasValue {
            if declarations[index].kind == .flag {
                throw UsageError("option '\(name)' takes no value", fix: Self.advice)
            }
            texts[index].append(String(word.dropFirst(given.count + 1)))
        } else if case .option = declarations[index].kind {
            texts[index].append(try next(of: &rest, for: name))
        } else {
            texts[index].append("")
        }
    }

    private var names: [String] {
        declarations.filter { $0.count == nil }.map(\.name) + ["--help"]
    }

    /// The name of an option. Those of a command may be shortened as long as they stay unique.
    private func fullName(_ given: Substring) -> String {
        let name = String(given)
        guard command != nil, !names.contains(name) else { return name }
        let longer = Set(names.filter { $0.hasPrefix(name) })
        return longer.count == 1 ? longer.first ?? name : name
    }

    /// Parses the letters of short forms: flags, and at the end an option with its value.
    private func parseLetters(
        _ word: String, _ rest: inout ArraySlice<String>, _ texts: inout [[String]]
    ) throws {
        var letters = word.dropFirst()
        while let letter = letters.popFirst() {
            guard let index = declarations.firstIndex(where: { $0.letter == letter }) else {
                if letter == "h" { throw HelpRequest(help) }
                throw unknown("-\(letter)")
            }
            guard case .option = declarations[index].kind else {
                texts[index].append("")
                continue
            }
            texts[index].append(
                letters.isEmpty ? try next(of: &rest, for: "-\(letter)") : String(letters))
            return
        }
    }

    private func next(
        of rest: inout ArraySlice<String>, for option: String
    ) throws(UsageError) -> String {
        guard let value = rest.popFirst() else {
            throw UsageError("option '\(option)' needs a value", fix: Self.advice)
        }
        return value
    }

    private func unknown(_ option: String) -> UsageError {
        UsageError("unknown option '\(option)'", fix: Self.advice, unknown: option, known: names)
    }

    /// Shares the words that are no options among the arguments that the feature takes: first each one that
    /// has to be given, then the others in their order.
    private func share(_ operands: [String], among texts: inout [[String]]) throws(UsageError) {
        var spare = operands.count - declarations.reduce(0) { $0 + ($1.count?.lowerBound ?? 0) }
        var rest = operands[...]
        for (index, declaration) in declarations.enumerated() {
            guard let count = declaration.count, spare >= 0 else { continue }
            let extra = min(spare, count.upperBound - count.lowerBound)
            texts[index] = Array(rest.prefix(count.lowerBound + extra))
            rest = rest.dropFirst(count.lowerBound + extra)
            spare -= extra
        }
        if spare == 0 { return }
        let expected = self.operands.isEmpty ? "no arguments" : self.operands
        let found = operands.isEmpty ? "nothing" : "'\(operands.joined(separator: " "))'"
        let subject = feature.map { "'\($0)' expects" } ?? "expected"
        throw UsageError(
            "\(subject) \(expected), found \(found)", fix: "see the arguments with '--help'")
    }

    // MARK: Help

    private var operands: String {
        command?.operands
            ?? declarations.map(\.operand).filter { !$0.isEmpty }.joined(separator: " ")
    }

    package var help: String {
        let usage = ["usage:", feature ?? "", "[OPTION…]", operands].filter { !$0.isEmpty }
        let arguments = declarations.filter { $0.count != nil }
            .map { (call: $0.name, help: $0.help) }
        let sections = [
            summary, usage.joined(separator: " "), command?.discussion ?? "",
            Self.table("arguments", arguments), optionsHelp,
        ]
        return sections.filter { !$0.isEmpty }.joined(separator: "\n\n") + "\n"
    }

    package var optionsHelp: String {
        var options = declarations.filter { $0.count == nil }.map { option in
            let call = (option.short.map { "\($0), " } ?? "    ") + option.name
            let standard = option.standard.map { "(default: \($0))" } ?? ""
            let help = [option.help, standard].filter { !$0.isEmpty }
            return (call + option.shownValue, help.joined(separator: " "))
        }
        if !declares("--help") {
            options.append((declares("-h") ? "    --help" : "-h, --help", "show this help"))
        }
        return Self.table("options", options)
    }

    private func declares(_ word: String) -> Bool {
        declarations.contains { $0.count == nil && ($0.name == word || $0.short == word) }
    }

    private static func table(_ title: String, _ rows: [(call: String, help: String)]) -> String {
        let width = rows.map(\.call.count).max() ?? 0
        let lines = rows.map { call, help in
            let padding = String(repeating: " ", count: width - call.count)
            return "\n  " + (help.isEmpty ? call : call + padding + "  " + help)
        }
        return lines.isEmpty ? "" : title + ":" + lines.joined()
    }

    // MARK: Mistakes of the feature

    private func checkDeclarations() {
        var names: Set<String> = []
        var isFull = false
        for declaration in declarations {
            if let count = declaration.count {
                if isFull {
                    mistake("argument '\(declaration.name)' stands behind one that takes all")
                }
                isFull = count.upperBound == Int.max
                continue
            }
            let name = declaration.name
            guard name.hasPrefix("--"), name.count > 2,
                name.allSatisfy({ !$0.isWhitespace && $0 != "=" })
            else { mistake("option '\(name)': a name begins with '--', as '--unit' does") }
            if let short = declaration.short, declaration.letter == nil {
                mistake("option '\(name)': expected a letter, as in '-u', found '\(short)'")
            }
            for word in [name, declaration.short].compactMap(\.self)
            where !names.insert(word).inserted {
                mistake("option '\(word)' is declared twice")
            }
        }
    }

    private func mistake(_ words: String) -> Never {
        // Optimised programs print the words of a fatal error, and none of a failed precondition.
        fatalError("feature '\(feature ?? "?")' declares parameters that do not work: \(words)")
    }
}
