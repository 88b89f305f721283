// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesCatalog
package import EavesDiagnostics
import EavesRegistry

extension HostProblem: Diagnosable {
    package var diagnostics: [Diagnostic] {
        switch self {
        case .manifest(let diagnostic): [diagnostic]
        case .module(let entry): entry.diagnostics
        case .plan(let problem): problem.diagnostics
        case .circle(let requirements): [Self.circle(requirements)]
        case .loading(let error): error.diagnostics
        case .registration(let problem): problem.diagnostics
        }
    }

    private static func circle(_ requirements: [Requirement]) -> Diagnostic {
        let steps = requirements.map { "'\($0.module)' requires \($0.service) of '\($0.provider)'" }
        return Diagnostic(
            "modules require each other in a circle: " + steps.joined(separator: ", "),
            fix:
                "take what both need into a module of its own, or ask for one of them later, through "
                + "a provider, and leave it out of 'requires'", code: .configuration)
    }
}
