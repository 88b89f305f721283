// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

/// What a command line asks for.
struct Invocation {
    enum Request {
        case overview
        case version
        case help(any Subcommand.Type)
        case run(any Subcommand.Type, ParsedOptions)
    }

    let request: Request

    private static let version = OptionSpec("version", help: "print the version")

    /// The options before the subcommand.
    static let globalOptions: [OptionSpec] = [.manifest, .help, version]

    init(_ words: [String]) throws(UsageFault) {
        let global = try OptionParser(specs: Self.globalOptions, stopsAtOperand: true).parse(words)
        guard let word = global.operands.first else {
            request = global.has(Self.version) ? .version : .overview
            return
        }
        let rest = Array(global.operands.dropFirst())
        if word == "help" {
            if let word = rest.first {
                request = .help(try Self.command(word))
            } else {
                request = .overview
            }
            return
        }
        let command = try Self.command(word)
        if global.has(.help) {
            request = .help(command)
            return
        }
        var options = try OptionParser(
            specs: command.options + [.help], stopsAtOperand: command.stopsAtOperand
        ).parse(rest)
        if options.has(.help) {
            request = .help(command)
            return
        }
        options.values.merge(global.values) { own, _ in own }
        guard command.operandCount.contains(options.operands.count) else {
            throw .wrongOperands(
                command: command.name, expected: command.operands, found: options.operands)
        }
        request = .run(command, options)
    }

    private static func command(_ word: String) throws(UsageFault) -> any Subcommand.Type {
        if let command = Subcommands.all.first(where: { $0.name == word }) { return command }
        throw .unknownCommand(word, known: Subcommands.all.map { $0.name })
    }
}
