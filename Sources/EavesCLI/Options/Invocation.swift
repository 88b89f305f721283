// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesDiagnostics

/// What a command line asks for.
struct Invocation {
    enum Request {
        /// A text, and the exit code that goes with it.
        case show(String, Int32)
        case run(AnySubcommand, ParsedOptions)
    }

    let request: Request

    private static let version = OptionSpec("version", help: "print the version")

    /// The options before the subcommand.
    static let globalOptions: [OptionSpec] = [.manifest, .help, version]

    init(_ words: [String]) throws(UsageFault) {
        let global = try OptionParser(specs: Self.globalOptions, stopsAtOperand: true).parse(words)
        guard let word = global.operands.first else {
            request = Self.withoutCommand(global)
            return
        }
        let rest = Array(global.operands.dropFirst())
        if word == "help" || global.has(.help) {
            request = try Self.help(word == "help" ? rest.first : word)
            return
        }
        let command = try Self.command(word)
        var options = try OptionParser(
            specs: command.type.options + [.help], stopsAtOperand: command.type.stopsAtOperand
        ).parse(rest)
        if options.has(.help) {
            request = try Self.help(word)
            return
        }
        options.values.merge(global.values) { own, _ in own }
        guard command.type.operandCount.contains(options.operands.count) else {
            throw .wrongOperands(
                command: word, expected: command.type.operands, found: options.operands)
        }
        request = .run(command, options)
    }

    /// Whoever asks for nothing is helped, and told by the code that nothing was done.
    private static func withoutCommand(_ global: ParsedOptions) -> Request {
        if global.has(version) { return .show(Version.text + "\n", 0) }
        let code = global.has(.help) ? 0 : FailureCode.usage.rawValue
        return .show(Help.overview, code)
    }

    private static func help(_ word: String?) throws(UsageFault) -> Request {
        guard let word else { return .show(Help.overview, 0) }
        return .show(Help.text(of: try command(word).type), 0)
    }

    private static func command(_ word: String) throws(UsageFault) -> AnySubcommand {
        let all = AnySubcommand.all + AnySubcommand.hidden
        if let found = all.first(where: { $0.type.name == word }) { return found }
        throw .unknownCommand(word, known: AnySubcommand.all.map { $0.type.name })
    }
}
