// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesHost

/// `eaves rollback [STEPS]`
struct RollbackCommand: SynchronousSubcommand {
    static let name = "rollback"
    static let summary = "undo the last swaps or removals"
    static let operands = "[STEPS]"
    static let operandCount = 0...1
    static let options: [OptionSpec] = [HostVerdict.option, .manifest]
    static let discussion = """
        Binds the service of the last 'eaves swap' to what it was bound to before, or puts back what
        the last 'eaves remove' took out of the manifest. A second rollback undoes the change before
        that. With a number, it undoes so many changes at once, as 'eaves history' numbers them; if one
        of them cannot be undone, none is. With '--wait', the command ends when running hosts have taken it
        on, and fails as they do.
        """

    private let options: ParsedOptions
    private let steps: Int
    private let verdict: HostVerdict

    init(_ options: ParsedOptions) throws {
        self.options = options
        verdict = try HostVerdict(options)
        let text = options.operands.first ?? "1"
        guard let steps = Int(text), steps >= 1 else { throw CommandError.badSteps(text) }
        self.steps = steps
    }

    func run(_ terminal: Terminal) throws -> Int32 {
        let manifest = try options.manifest()
        return try verdict.after(manifest, [], terminal) {
            try Host(manifest: manifest).rollback(steps).flatMap(\.messages).forEach(terminal.say)
            return 0
        }
    }
}

extension HostSwap {
    /// The words for the change.
    var message: String {
        "\(service): \(before) → \(weightsAfter ?? to)" + (reason.map { " (\($0))" } ?? "")
    }

    /// The module or the weights before, in words.
    fileprivate var before: String { from ?? weightsBefore ?? "no binding" }
}

extension HostRollback {
    /// The words for the change that was undone.
    fileprivate var messages: [String] {
        switch change {
        case .swap(let swap):
            return [
                wasUndone
                    ? "\(swap.service): the swap to \(swap.to) was undone already: \(swap.before)"
                    : "\(swap.service): \(swap.weightsAfter ?? swap.to) → \(swap.before)"
            ]
        case .removal(let id, let services):
            if wasUndone { return ["\(id) was put back already"] }
            return ["put back \(id)"] + services.map { "\($0) is bound to \(id) again" }
        }
    }
}
