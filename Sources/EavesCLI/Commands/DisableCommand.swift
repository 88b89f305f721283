// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

/// `eaves disable ID`
struct DisableCommand: ImmediateSubcommand {
    static let name = "disable"
    static let summary = "switch a module off"
    static let operands = "ID"
    static let operandCount = 1...1
    static let options: [OptionSpec] = [.manifest]
    static let discussion = """
        Writes it into the manifest, in one step. A module that is off provides nothing and is
        never loaded.
        """

    private let options: ParsedOptions

    init(_ options: ParsedOptions) {
        self.options = options
    }

    func run(_ terminal: Terminal) throws -> Int32 {
        try ModuleSwitch(isOn: false).set(options, terminal)
    }
}
