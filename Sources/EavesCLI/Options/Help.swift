// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

/// The help texts.
enum Help {
    /// All commands, a line each.
    static var overview: String {
        let commands = AnySubcommand.all.map(\.type)
        let width = commands.map { $0.name.count + 1 + $0.operands.count }.max() ?? 0
        let lines = commands.map { command in
            let call = command.name + (command.operands.isEmpty ? "" : " " + command.operands)
            return "  " + call.padded(to: width) + "  " + command.summary
        }
        return """
            Eaves builds feature modules, finds them, and runs their features.

            usage: eaves [OPTION…] COMMAND [ARG…]

            commands:
            \(lines.joined(separator: "\n"))

            options:
            \(table(Invocation.globalOptions))

            See 'eaves COMMAND --help' for one command.

            """
    }

    /// One command.
    static func text(of command: any Subcommand.Type) -> String {
        let operands = command.operands.isEmpty ? "" : " " + command.operands
        return """
            \(command.summary)

            usage: eaves \(command.name) [OPTION…]\(operands)

            \(command.discussion)

            options:
            \(table(command.options + [.help]))

            """
    }

    private static func table(_ specs: [OptionSpec]) -> String {
        let calls = specs.map { spec in
            let short = spec.short.map { "-\($0), " } ?? "    "
            return "  " + short + "--" + spec.long + (spec.value.map { " \($0)" } ?? "")
        }
        let width = calls.map(\.count).max() ?? 0
        return zip(calls, specs).map { $0.padded(to: width) + "  " + $1.help }
            .joined(separator: "\n")
    }
}

extension String {
    /// The text, with spaces behind it up to a width.
    func padded(to width: Int) -> String {
        self + String(repeating: " ", count: max(0, width - count))
    }
}
