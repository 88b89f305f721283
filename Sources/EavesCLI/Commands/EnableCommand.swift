// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesHost

/// `eaves enable ID`
struct EnableCommand: SynchronousSubcommand {
    static let name = "enable"
    static let summary = "switch a module on"
    static let operands = "ID"
    static let operandCount = 1...1
    static let options: [OptionSpec] = [.manifest]
    static let discussion = "Writes that into the manifest, in one step."

    private let options: ParsedOptions

    init(_ options: ParsedOptions) {
        self.options = options
    }

    func run(_ terminal: Terminal) throws -> Int32 {
        try options.setEnabled(true, terminal)
    }
}

/// `eaves disable ID`
struct DisableCommand: SynchronousSubcommand {
    static let name = "disable"
    static let summary = "switch a module off"
    static let operands = "ID"
    static let operandCount = 1...1
    static let options: [OptionSpec] = [.manifest]
    static let discussion = """
        Writes that into the manifest, in one step. A module that is off provides nothing and is
        never loaded.
        """

    private let options: ParsedOptions

    init(_ options: ParsedOptions) {
        self.options = options
    }

    func run(_ terminal: Terminal) throws -> Int32 {
        try options.setEnabled(false, terminal)
    }
}

extension ParsedOptions {
    /// Switches the module that the operand names on or off, in the manifest.
    fileprivate func setEnabled(_ isEnabled: Bool, _ terminal: Terminal) throws -> Int32 {
        let id = operands[0]
        let isChanged = try Host(manifest: manifest()).setEnabled(id, isEnabled)
        let word = isEnabled ? "enabled" : "disabled"
        terminal.say(isChanged ? "\(word) \(id)" : "\(id) is already \(word)")
        return 0
    }
}
