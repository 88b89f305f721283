// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

package import EavesDiagnostics
package import EavesSystem

/// Why nothing can be said of modules.
package enum VerifyError: Error, Sendable {
    /// A check that is not on the list.
    case unknownCheck(String)
    /// The probe did not begin; how it ended, and what it printed.
    case probeFailed(ChildEnding, output: String)
    case system(SystemError)
}

extension VerifyError: Diagnosable {
    package var diagnostics: [Diagnostic] {
        switch self {
        case .unknownCheck(let id):
            [
                Diagnostic(
                    "there is no check '\(id)'"
                        + NearMatch.suffix(for: id, among: CheckList.all.map { $0.id }),
                    fix: "see all checks with 'eaves verify --list-checks'", code: .usage)
            ]
        case .probeFailed(let ending, let output):
            [
                Diagnostic(
                    "the process that runs modules ended at once, with \(ending)"
                        + (output.isEmpty ? "" : ": \(output)"),
                    code: .inputOutput)
            ]
        case .system(let error): error.diagnostics
        }
    }
}
