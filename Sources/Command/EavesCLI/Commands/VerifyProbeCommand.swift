// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesVerify

/// `eaves verify-probe REQUEST`: the process that `eaves verify` starts to run a module's code in.
struct VerifyProbeCommand: SynchronousSubcommand {
    static let name = VerificationProbe.word
    static let summary = "run a module for 'eaves verify'"
    static let operands = "REQUEST"
    static let operandCount = 1...1
    static let options: [OptionSpec] = []
    static let discussion = "'eaves verify' starts this command, and reads what it writes."

    private let probe: Probe

    init(_ options: ParsedOptions) throws {
        guard let probe = Probe(json: options.operands[0]) else {
            throw CommandError.wrongOperands(
                command: Self.name, expected: Self.operands, found: options.operands)
        }
        self.probe = probe
    }

    func run(_ terminal: Terminal) -> Int32 {
        VerificationProbe.serve(probe)
    }
}
