// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

/// A command of a shell.
enum ShellSubcommand {
    /// It looks at the disk, as it does on the command line.
    case looking(any SynchronousSubcommand.Type)
    /// It changes the manifest, as it does on the command line, and then the host follows.
    case changing(any SynchronousSubcommand.Type)
    case launch
    case generations
    case help
    case quit

    /// All commands, in the order of the overview.
    static let all: [ShellSubcommand] = [
        .looking(ListCommand.self), .launch, .looking(InspectCommand.self),
        .changing(SwapCommand.self), .changing(RollbackCommand.self),
        .looking(HistoryCommand.self), .changing(EnableCommand.self),
        .changing(DisableCommand.self), .generations, .help, .quit,
    ]

    /// The name, the options and the help.
    var type: any Subcommand.Type {
        switch self {
        case .looking(let type), .changing(let type): type
        case .launch: ShellLaunch.self
        case .generations: ShellGenerations.self
        case .help: ShellHelp.self
        case .quit: ShellQuit.self
        }
    }
}

/// `launch` in a shell: the shell's own options chose the modules.
private struct ShellLaunch: Subcommand {
    static let name = LaunchCommand.name
    static let summary = LaunchCommand.summary
    static let operands = LaunchCommand.operands
    static let completed = LaunchCommand.completed
    static let operandCount = 0...Int.max
    static let options: [OptionSpec] = []
    static let stopsAtOperand = true
    static let discussion = """
        Runs the feature with the arguments in this host. Without a feature, it runs the one that the
        manifest names under 'launch'. The feature reads the next lines of the shell's input. Ctrl-C
        asks it to end.
        """

    init(_ options: ParsedOptions) {}
}

private struct ShellGenerations: Subcommand {
    static let name = "generations"
    static let summary = "show the versions of modules that this host has loaded"
    static let operands = ""
    static let operandCount = 0...0
    static let options: [OptionSpec] = [.json]
    static let discussion = """
        Shows each generation with its state and, if it serves no longer, how many of its instances
        live, and who asked for them.
        """

    init(_ options: ParsedOptions) {}
}

private struct ShellHelp: Subcommand {
    static let name = "help"
    static let summary = "show all commands, or how to use one"
    static let operands = "[COMMAND]"
    static let operandCount = 0...1
    static let completed: [CompletedWord] = [.command]
    static let options: [OptionSpec] = []
    static let discussion = "All commands take '--help', too."

    init(_ options: ParsedOptions) {}
}

private struct ShellQuit: Subcommand {
    static let name = "quit"
    static let summary = "end the shell"
    static let operands = ""
    static let operandCount = 0...0
    static let options: [OptionSpec] = []
    static let discussion = "Its exit code is that of the command before."

    init(_ options: ParsedOptions) {}
}
