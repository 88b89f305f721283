// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesHost

/// `eaves swap SERVICE MODULE`
struct SwapCommand: SynchronousSubcommand {
    static let name = "swap"
    static let summary = "bind a service to another implementation"
    static let operands = "SERVICE MODULE"
    static let operandCount = 2...2
    static let options: [OptionSpec] = [.manifest]
    static let discussion = """
        Writes the binding into the manifest, in one step; the next launch uses it. The manifest
        stays as it was if the module cannot provide the service, or the host would not load its
        file. A module that was not built yet is built by the next launch. Weights are replaced, too.
        'eaves rollback' undoes it. 'SERVICE#NAME' binds the implementation of that name.
        """

    private let options: ParsedOptions

    init(_ options: ParsedOptions) {
        self.options = options
    }

    func run(_ terminal: Terminal) throws -> Int32 {
        let (service, module) = (options.operands[0], options.operands[1])
        guard let swap = try Host(manifest: options.manifest()).swap(service, to: module) else {
            terminal.say("\(service) is already bound to \(module)")
            return 0
        }
        terminal.say("\(swap.service): \(swap.before) → \(swap.to)")
        return 0
    }
}

/// `eaves rollback`
struct RollbackCommand: SynchronousSubcommand {
    static let name = "rollback"
    static let summary = "undo the last swap or removal"
    static let operands = ""
    static let operandCount = 0...0
    static let options: [OptionSpec] = [.manifest]
    static let discussion = """
        Binds the service of the last 'eaves swap' to what it was bound to before, or puts back what
        the last 'eaves remove' took out of the manifest. A second rollback undoes the change before
        that.
        """

    private let options: ParsedOptions

    init(_ options: ParsedOptions) {
        self.options = options
    }

    func run(_ terminal: Terminal) throws -> Int32 {
        try Host(manifest: options.manifest()).rollback().messages.forEach(terminal.say)
        return 0
    }
}

extension HostSwap {
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
                    : "\(swap.service): \(swap.to) → \(swap.before)"
            ]
        case .removal(let id, let services):
            if wasUndone { return ["\(id) was put back already"] }
            return ["put back \(id)"] + services.map { "\($0) is bound to \(id) again" }
        }
    }
}
