// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesDiagnostics
import EavesHost
import EavesJSON

/// What `eaves validate` shows.
struct ValidationReport {
    let problems: [HostProblem]

    var json: JSON {
        [
            "schema": 1,
            "problems": .array(
                said.map { kind, diagnostic in
                    [
                        "kind": .string(kind), "message": .string(diagnostic.message),
                        "fix": diagnostic.fix.map(JSON.string) ?? .null,
                        "code": .integer(Int(diagnostic.code.rawValue)),
                    ]
                }),
        ]
    }

    /// What ends the command if there is any problem.
    var fault: ValidationFault { ValidationFault(diagnostics: said.map(\.1)) }

    /// Several problems may have the same reason behind them: each is said once.
    private var said: [(String, Diagnostic)] {
        var known: Set<Diagnostic> = []
        return problems.flatMap { problem in problem.diagnostics.map { (problem.kind, $0) } }
            .filter { known.insert($0.1).inserted }
    }
}
