// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

package import EavesDiagnostics

/// The reason why a running host does not swap something that is on probation.
package enum ProbationObstacle: Error, Hashable, Sendable {
    /// The service was bound to the first module a short time ago, and is to be bound to the second one.
    case binding(String, judged: String, wanted: String)
    /// The module has a newer file than the one that is judged.
    case file(String)
    /// The module's file was judged, and the one before serves again.
    case bad(String)
}

extension ProbationObstacle: Diagnosable {
    package var diagnostic: Diagnostic {
        switch self {
        case .binding(let service, let judged, let wanted):
            Diagnostic(
                "\(service) cannot go to '\(wanted)' yet: '\(judged)' is on probation there",
                fix:
                    "go back with 'eaves rollback', or wait: the host takes the change on when "
                    + "the probation ends", code: .configuration)
        case .bad(let id):
            Diagnostic(
                "the file of '\(id)' was bad on probation, and the one before serves",
                fix: "mend it: 'eaves quarantine' says what was wrong", code: .configuration)
        case .file(let id):
            Diagnostic(
                "the newer file of '\(id)' has to wait: the one before is on probation, and the "
                    + "manifest allows one at a time",
                fix: "wait: the host takes it on when the probation ends",
                code: .configuration)
        }
    }
}
