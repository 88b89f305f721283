// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesHost

/// `eaves rollback`
struct RollbackCommand: ImmediateSubcommand {
    static let name = "rollback"
    static let summary = "undo the last swap"
    static let operands = ""
    static let operandCount = 0...0
    static let options: [OptionSpec] = [.manifest]
    static let discussion = """
        Binds the service of the last swap to what it was bound to before. Called again, it undoes
        the swap before that.
        """

    private let options: ParsedOptions

    init(_ options: ParsedOptions) {
        self.options = options
    }

    func run(_ terminal: Terminal) throws -> Int32 {
        let swap = try BindingSwap(manifest: options.manifest()).rollback()
        terminal.say("\(swap.service): \(swap.to) → \(swap.from ?? "no binding")")
        return 0
    }
}
