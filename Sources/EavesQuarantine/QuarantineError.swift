// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

package import EavesDiagnostics
package import EavesSystem

/// The notes of the quarantine are not what was written, or cannot be read or written.
package enum QuarantineError: Error, Hashable, Sendable {
    /// The file that says who is kept out. It stays as it is.
    case damaged(String)
    /// Lines of the log of crashes; it has been put aside.
    case damagedLog(String, keptAs: String)
    case system(SystemError)
}

extension QuarantineError: Diagnosable {
    package var diagnostics: [Diagnostic] {
        switch self {
        case .damaged(let path):
            [
                Diagnostic(
                    "\(path): expected the quarantine that eaves wrote, found something else: "
                        + "no module is kept out",
                    fix: "mend the file, or remove it", code: .badData)
            ]
        case .damagedLog(let path, let kept):
            [
                Diagnostic(
                    "\(path): expected the crashes that eaves noted, found something else, too",
                    fix: "look at \(kept), where it is kept, or remove that", code: .badData)
            ]
        case .system(let error): error.diagnostics
        }
    }
}
