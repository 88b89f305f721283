// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesDiagnostics
import EavesInterface

/// The request of a command line: a text to show, or a subcommand to run.
struct Invocation {
    enum Request {
        /// Show a text, and end with this exit code.
        case show(String, Int32)
        case run(Subcommand, ParsedOptions)
    }

    let request: Request

    /// The options that may stand before the subcommand.
    static let globalOptions: [OptionSpec] = [.manifest, .help, version]

    private static let version = OptionSpec("version", help: "print the version")

    /// A parser of the options before the subcommand.
    static var parser: LaunchParser {
        LaunchParser(
            globalOptions.map(\.declaration), feature: nil, summary: "",
            command: LaunchParser.Command(operands: "", discussion: "", stopsAtOperand: true))
    }

    /// - Parameter words: The command line without the program's name.
    /// - Throws: ``CommandError`` if it cannot be understood.
    init(_ words: [String]) throws(CommandError) {
        let global = try ParsedOptions(words, Self.globalOptions, Self.parser) ?? ParsedOptions()
        guard let word = global.operands.first else {
            request = Self.withoutSubcommand(global)
            return
        }
        let rest = Array(global.operands.dropFirst())
        if word == "help" || global.has(.help) {
            request = try Self.help(word == "help" ? rest.first : word)
            return
        }
        let subcommand = try Self.subcommand(word)
        if let options = try Self.options(rest, of: subcommand, behind: global) {
            request = .run(subcommand, options)
        } else {
            request = .show(Help.text(of: subcommand), 0)
        }
    }

    /// The options and operands of a subcommand.
    ///
    /// - Parameters:
    ///   - words: The words behind the subcommand.
    ///   - global: The options before it.
    ///   - isInShell: Whether the words stand in a line of a shell, which has chosen the manifest.
    /// - Returns: `nil` if help is asked for.
    static func options(
        _ words: [String], of subcommand: Subcommand, behind global: ParsedOptions,
        inShell isInShell: Bool = false
    ) throws(CommandError) -> ParsedOptions? {
        let specs = subcommand.options.shown(inShell: isInShell)
        let parser = subcommand.parser(inShell: isInShell)
        guard var options = try ParsedOptions(words, specs, parser) else { return nil }
        guard subcommand.operandCount.contains(options.operands.count) else {
            throw .wrongOperands(
                command: subcommand.name, expected: subcommand.operands, found: options.operands)
        }
        // An option behind the subcommand counts more than the same one before it.
        options.values.merge(global.values) { own, _ in own }
        try Self.refuseEmptyTexts(in: options, of: subcommand)
        return options
    }

    /// Refuses empty values and operands: as a path, an empty text would mean the current folder. The
    /// arguments of a feature may be empty.
    private static func refuseEmptyTexts(
        in options: ParsedOptions, of subcommand: Subcommand
    ) throws(CommandError) {
        for spec in subcommand.options {
            guard let expected = spec.value, options.allValues(spec).contains("")
            else { continue }
            throw .emptyValue(option: "--" + spec.long, expected: expected)
        }
        if !subcommand.stopsAtOperand && options.operands.contains("") {
            throw .emptyOperand(command: subcommand.name, expected: subcommand.operands)
        }
    }

    /// Without a subcommand and without an option, the application starts.
    private static func withoutSubcommand(_ global: ParsedOptions) -> Request {
        if global.has(version) { return .show(Version.text + "\n", 0) }
        if global.has(.help) { return .show(Help.overview, 0) }
        return .run(.start, global)
    }

    private static func help(_ word: String?) throws(CommandError) -> Request {
        guard let word else { return .show(Help.overview, 0) }
        return .show(Help.text(of: try subcommand(word)), 0)
    }

    private static func subcommand(_ word: String) throws(CommandError) -> Subcommand {
        if !word.isEmpty, let found = Subcommand.named(word) { return found }
        throw .unknownCommand(word, known: Subcommand.all.map(\.name))
    }
}
