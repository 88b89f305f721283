// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

/// One word of the command, such as `list`: it reads its options, makes one call, and prints.
///
/// A type conforms to ``SynchronousSubcommand`` or to ``AsynchronousSubcommand``, and stands in the
/// table ``AnySubcommand/all``.
protocol Subcommand: Sendable, SendableMetatype {
    /// The word on the command line.
    static var name: String { get }
    /// One line for the overview of all commands.
    static var summary: String { get }
    /// The operands as help shows them, such as `FEATURE [ARG…]`.
    static var operands: String { get }
    /// How many operands the subcommand takes.
    static var operandCount: ClosedRange<Int> { get }
    /// The kinds of words that the operands are, for shells that complete them.
    static var completed: [CompletedWord] { get }
    /// The options it takes, besides `--help`.
    static var options: [OptionSpec] { get }
    /// Whether all words from the first operand on are operands, even those that look like options.
    static var stopsAtOperand: Bool { get }
    /// The text of its own help below the usage line.
    static var discussion: String { get }

    /// - Parameter options: The options and operands, which are as many as ``operandCount`` allows.
    /// - Throws: ``CommandError`` if a value cannot be understood.
    init(_ options: ParsedOptions) throws
}

extension Subcommand {
    static var completed: [CompletedWord] { [] }
    static var stopsAtOperand: Bool { false }
}

/// A subcommand that ends when its call returns.
protocol SynchronousSubcommand: Subcommand {
    /// - Returns: The exit code.
    /// - Throws: Any error that ``Messages`` turns into messages and an exit code.
    func run(_ terminal: Terminal) throws -> Int32
}

/// A subcommand that runs code of modules, which may wait for something.
protocol AsynchronousSubcommand: Subcommand {
    /// Is called first, while the process has one thread.
    func prepare() throws

    /// - Returns: The exit code.
    /// - Throws: Any error that ``Messages`` turns into messages and an exit code.
    func run(_ terminal: Terminal) async throws -> Int32
}

extension AsynchronousSubcommand {
    func prepare() {}
}

/// A subcommand of either kind.
enum AnySubcommand {
    case synchronous(any SynchronousSubcommand.Type)
    case asynchronous(any AsynchronousSubcommand.Type)

    /// The subcommand's type, whichever kind it is.
    var type: any Subcommand.Type {
        switch self {
        case .synchronous(let type): type
        case .asynchronous(let type): type
        }
    }

    /// All subcommands, in the order of the overview.
    static let all: [AnySubcommand] = [
        .synchronous(InitCommand.self), .synchronous(NewCommand.self),
        .synchronous(ListCommand.self), .asynchronous(LaunchCommand.self),
        .asynchronous(OpenCommand.self), .asynchronous(ShellCommand.self),
        .synchronous(InspectCommand.self),
        .synchronous(ValidateCommand.self),
        .synchronous(BuildCommand.self), .synchronous(VerifyCommand.self),
        .synchronous(QuarantineCommand.self), .synchronous(SwapCommand.self),
        .synchronous(RollbackCommand.self), .synchronous(HistoryCommand.self),
        .synchronous(GenerationsCommand.self),
        .synchronous(EnableCommand.self), .synchronous(DisableCommand.self),
        .synchronous(AddCommand.self),
        .synchronous(RemoveCommand.self), .synchronous(PinCommand.self),
        .synchronous(SignCommand.self), .synchronous(TrustCommand.self),
        .synchronous(InterfaceCommand.self), .synchronous(GraphCommand.self),
        .synchronous(AuditCommand.self), .synchronous(CompletionCommand.self),
        .synchronous(ManCommand.self),
    ]

    /// Subcommands that only the command itself starts. The overview leaves them out.
    static let hidden: [AnySubcommand] = [
        .synchronous(CompleteCommand.self), .synchronous(VerifyProbeCommand.self),
        .asynchronous(StartCommand.self),
    ]
}
