// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

package import EavesDiagnostics
package import EavesSystem
package import EavesTrust

/// A file of the quarantine is damaged, or cannot be read or written.
package enum QuarantineError: Error, Hashable, Sendable {
    /// The file with the records is damaged. It stays as it is.
    case damaged(String)
    /// The log of crashes has damaged lines. It was moved aside.
    case damagedLog(String, keptAs: String)
    /// The store cannot be used.
    case store(PlaceError)
    case system(SystemError)
}

extension QuarantineError: Diagnosable {
    package var diagnostic: Diagnostic {
        switch self {
        case .damaged(let path):
            Diagnostic(
                "\(path): expected the quarantine that eaves wrote, found something else: "
                    + "no module is kept out",
                fix: "repair the file, or remove it", code: .badData)
        case .damagedLog(let path, let kept):
            Diagnostic(
                "\(path): expected the crashes that eaves noted, found other lines as well",
                fix: "look into \(kept), where the log is kept, or remove that file",
                code: .badData)
        case .store(let error): error.diagnostic
        case .system(let error): error.diagnostic
        }
    }
}
