// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesDiagnostics
import EavesVerify

extension Subcommand {
    /// `eaves verify-probe`: the process that `eaves verify` starts to run a module's code in.
    static let verifyProbe = Subcommand(
        name: VerificationProbe.word,
        summary: "run a module for 'eaves verify'",
        options: [],
        discussion: "'eaves verify' starts this command, and sends it the request.",
        run: .synchronous { try $0.verifyProbe() })
}

extension SubcommandCall {
    fileprivate func verifyProbe() throws -> Int32 {
        guard let probe = Probe() else {
            throw Diagnostic(
                "'eaves \(VerificationProbe.word)' has got no request",
                fix: "run 'eaves verify', which starts it", code: .usage)
        }
        VerificationProbe.serve(probe)
    }
}
