// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesVerify

extension Subcommand {
    /// `eaves verify-probe REQUEST`: the process that `eaves verify` starts to run a module's code in.
    static let verifyProbe = Subcommand(
        name: VerificationProbe.word,
        summary: "run a module for 'eaves verify'",
        operands: "REQUEST",
        operandCount: 1...1,
        options: [],
        discussion: "'eaves verify' starts this command, and reads what it writes.",
        run: .synchronous { try $0.verifyProbe() })
}

extension SubcommandCall {
    fileprivate func verifyProbe() throws -> Int32 {
        guard let probe = Probe(json: options.operands[0]) else {
            throw CommandError.wrongOperands(
                command: VerificationProbe.word, expected: "REQUEST", found: options.operands)
        }
        VerificationProbe.serve(probe)
    }
}
