// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesHost

/// `eaves enable ID`
struct EnableCommand: SynchronousSubcommand {
    static let name = "enable"
    static let summary = "switch a module on"
    static let operands = "ID"
    static let operandCount = 1...1
    static let completed: [CompletedWord] = [.module]
    static let options: [OptionSpec] = [HostVerdict.option, .manifest]
    static let discussion = """
        Writes that into the manifest, in one step. With '--wait', the command ends when running hosts
        have taken it on, and fails as they do.
        """

    private let options: ParsedOptions
    private let verdict: HostVerdict

    init(_ options: ParsedOptions) throws {
        self.options = options
        verdict = try HostVerdict(options)
    }

    func run(_ terminal: Terminal) throws -> Int32 {
        try options.setEnabled(true, terminal, verdict)
    }
}

/// `eaves disable ID`
struct DisableCommand: SynchronousSubcommand {
    static let name = "disable"
    static let summary = "switch a module off"
    static let operands = "ID"
    static let operandCount = 1...1
    static let completed: [CompletedWord] = [.module]
    static let options: [OptionSpec] = [HostVerdict.option, .manifest]
    static let discussion = """
        Writes that into the manifest, in one step. A module that is off provides nothing and is
        never loaded. With '--wait', the command ends when running hosts have taken it on, and fails as
        they do.
        """

    private let options: ParsedOptions
    private let verdict: HostVerdict

    init(_ options: ParsedOptions) throws {
        self.options = options
        verdict = try HostVerdict(options)
    }

    func run(_ terminal: Terminal) throws -> Int32 {
        try options.setEnabled(false, terminal, verdict)
    }
}

extension ParsedOptions {
    /// Switches the module that the operand names on or off, in the manifest.
    fileprivate func setEnabled(
        _ isEnabled: Bool, _ terminal: Terminal, _ verdict: HostVerdict
    ) throws -> Int32 {
        let (id, manifest) = (operands[0], try manifest())
        return try verdict.after(manifest, [id], terminal) {
            let host = try Host(manifest: manifest)
            let isChanged = try isEnabled ? host.enable(id) : host.disable(id)
            let word = isEnabled ? "enabled" : "disabled"
            terminal.say(isChanged ? "\(word) \(id)" : "\(id) is already \(word)")
            return 0
        }
    }
}
