// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

/// All subcommands, in the order of the overview.
enum Subcommands {
    static let all: [any Subcommand.Type] = [
        ListCommand.self, LaunchCommand.self, InspectCommand.self, BuildCommand.self,
        SwapCommand.self, RollbackCommand.self, EnableCommand.self, DisableCommand.self,
        AddCommand.self, RemoveCommand.self,
    ]
}
