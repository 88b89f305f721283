// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesDiagnostics
import EavesInterface
import EavesOutput
import EavesSystem
import EavesTrust

extension Subcommand {
    static let man = Subcommand(
        name: "man",
        summary: "write pages for 'man' into a folder",
        operands: "FOLDER",
        completed: [.file],
        options: [],
        discussion: """
            Writes a page for the command, and one for each of its commands, with what '--help' says, as in
            'eaves man ~/.local/share/man/man1'. Then 'man eaves' and 'man eaves-list' show them. Pages that
            are there already are replaced.
            """,
        run: .plain { try $0.man() })
}

extension SubcommandCall {
    fileprivate func man() throws {
        let folder = Path.absolute(options.operands[0])
        try Output.makeFolder(folder)
        let pages = ManualPage.all
        for page in pages {
            try Output(Path.join(folder, page.fileName), .own).replace(with: Array(page.text.utf8))
        }
        terminal.say("wrote \(pages.count) pages into \(options.operands[0])")
    }
}

/// A page for `man`, made from what the help says.
struct ManualPage {
    /// The name by which `man` finds it, such as `eaves-list`.
    let name: String
    let lines: [String]

    var fileName: String { name + ".1" }
    var text: String { lines.joined(separator: "\n") + "\n" }

    static var all: [ManualPage] { [overview] + Subcommand.all.map(page) }

    private static var overview: ManualPage {
        let command = CommandName.current.text
        var lines = heading(command, "build feature modules, find them, and run their features")
        lines += [".SH SYNOPSIS", ".B \(escaped(command))", escaped("[OPTION…] COMMAND [ARG…]")]
        lines.append(".SH COMMANDS")
        for subcommand in Subcommand.all {
            lines += [
                ".TP", call(subcommand.name, operands(of: subcommand)), escaped(subcommand.summary),
            ]
        }
        lines += options(Invocation.globalOptions)
        lines.append(".SH ENVIRONMENT")
        for (variable, meaning) in variables {
            lines += [".TP", ".B \(variable)", escaped(meaning)]
        }
        lines.append(".SH SEE ALSO")
        let pages = Subcommand.all.map { escaped("\(command)-\($0.name)") }
        lines += pages.map { ".BR \($0) (1)" + ($0 == pages.last ? "" : ",") }
        return ManualPage(name: command, lines: lines)
    }

    private static let variables = [
        ("EAVES_MANIFEST", "The manifest or its folder, where no option names one."),
        ("EAVES_STORE", "The folder of the store, where no option names one."),
        ("EAVES_TRUST", "Mount points that belong to the process, with colons between them."),
        ("EAVES_PAGER, PAGER", "The program that shows an output that is longer than the window."),
        ("NO_COLOR, CLICOLOR, CLICOLOR_FORCE", "Switch colours off and on."),
    ]

    private static func page(of subcommand: Subcommand) -> ManualPage {
        let command = CommandName.current
        let name = "\(command.text)-\(subcommand.name)"
        var lines = heading(name, subcommand.summary)
        lines += [
            ".SH SYNOPSIS", ".B \(escaped("\(command.text) \(subcommand.name)"))",
            escaped("[OPTION…]\(operands(of: subcommand))"), ".SH DESCRIPTION",
        ]
        let discussion = command.applied(to: subcommand.discussion).split(separator: "\n")
        lines +=
            discussion.map { escaped($0) }
            + options(subcommand.options.shown(inShell: false) + [.help])
        lines += [".SH SEE ALSO", ".BR \(escaped(command.text)) (1)"]
        return ManualPage(name: name, lines: lines)
    }

    private static func heading(_ name: String, _ summary: String) -> [String] {
        [
            ".TH \(escaped(name.uppercased())) 1 \"\" \"\(escaped(Version.text.firstWords))\"",
            ".SH NAME", "\(escaped(name)) \\- \(escaped(summary))",
        ]
    }

    private static func options(_ specs: [OptionSpec]) -> [String] {
        [".SH OPTIONS"]
            + specs.flatMap { spec in
                let option = spec.declaration
                let names = (option.short.map { "\($0), " } ?? "") + option.name
                return [".TP", call(names, option.shownValue), escaped(option.help)]
            }
    }

    /// The operands of a command, with a space before them.
    private static func operands(of subcommand: Subcommand) -> String {
        subcommand.operands.isEmpty ? "" : " " + subcommand.operands
    }

    private static func call(_ word: String, _ rest: String) -> String {
        "\\fB\(escaped(word))\\fR\(escaped(rest))"
    }

    /// A text as `man` shows it: with dashes that can be searched for, and with no line that is a command.
    private static func escaped(_ text: some StringProtocol) -> String {
        var escaped = ""
        for character in text {
            switch character {
            case "\\": escaped += "\\e"
            case "-": escaped += "\\-"
            case "\"": escaped += "\\(dq"
            case "'": escaped += "\\(aq"
            case ".": escaped += escaped.isEmpty ? "\\&." : "."
            default: escaped.append(character)
            }
        }
        return escaped
    }
}

extension String {
    /// The name and the number in a text such as `eaves 0.1.0 (interface 1.1, ABI 1)`.
    fileprivate var firstWords: String {
        split(separator: " ").prefix { !$0.hasPrefix("(") }.joined(separator: " ")
    }
}
