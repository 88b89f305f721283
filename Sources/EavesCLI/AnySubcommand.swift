// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

/// A subcommand, of either kind.
enum AnySubcommand {
    case immediate(any ImmediateSubcommand.Type)
    case long(any LongSubcommand.Type)

    var type: any Subcommand.Type {
        switch self {
        case .immediate(let type): type
        case .long(let type): type
        }
    }

    /// All of them, in the order of the overview.
    static let all: [AnySubcommand] = [
        .immediate(ListCommand.self), .long(LaunchCommand.self), .immediate(InspectCommand.self),
        .immediate(ValidateCommand.self),
        .immediate(BuildCommand.self), .immediate(VerifyCommand.self),
        .immediate(QuarantineCommand.self), .immediate(SwapCommand.self),
        .immediate(RollbackCommand.self), .immediate(EnableCommand.self),
        .immediate(DisableCommand.self), .immediate(AddCommand.self),
        .immediate(RemoveCommand.self), .immediate(PinCommand.self),
        .immediate(SignCommand.self),
    ]

    /// Those that the command itself starts, and nobody types.
    static let hidden: [AnySubcommand] = [.immediate(VerifyProbeCommand.self)]
}
