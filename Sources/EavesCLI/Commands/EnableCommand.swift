// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

/// `eaves enable ID`
struct EnableCommand: ImmediateSubcommand {
    static let name = "enable"
    static let summary = "switch a module on"
    static let operands = "ID"
    static let operandCount = 1...1
    static let options: [OptionSpec] = [.manifest]
    static let discussion = "Writes it into the manifest, in one step."

    private let options: ParsedOptions

    init(_ options: ParsedOptions) {
        self.options = options
    }

    func run(_ terminal: Terminal) throws -> Int32 {
        try ModuleSwitch(isOn: true).set(options, terminal)
    }
}
