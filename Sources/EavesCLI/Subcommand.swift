// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

/// One word of the command, such as `list`: reads its options, makes one call, prints.
protocol Subcommand: Sendable, SendableMetatype {
    static var name: String { get }
    /// One line for the overview.
    static var summary: String { get }
    /// What stands behind the options, as in `FEATURE [ARG…]`.
    static var operands: String { get }
    /// How many operands it takes.
    static var operandCount: ClosedRange<Int> { get }
    static var options: [OptionSpec] { get }
    /// Whether everything from the first operand on belongs to somebody else.
    static var stopsAtOperand: Bool { get }
    /// More for its own help.
    static var discussion: String { get }

    init(_ options: ParsedOptions) throws
}

extension Subcommand {
    static var stopsAtOperand: Bool { false }
}

/// A subcommand that does its work and is done.
protocol ImmediateSubcommand: Subcommand {
    /// - Returns: The exit code.
    func run(_ terminal: Terminal) throws -> Int32
}

/// A subcommand that runs code of modules, for as long as they like.
protocol LongSubcommand: Subcommand {
    /// - Returns: The exit code.
    func run(_ terminal: Terminal) async throws -> Int32
}
