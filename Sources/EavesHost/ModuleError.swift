// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

package import EavesCatalog
package import EavesDiagnostics
import EavesLoader
import EavesRegistry
import EavesSystem

/// A module could not be loaded; nothing of it is registered.
package struct ModuleError: Error, Sendable {
    package let id: String
    /// The module's file, as people see it.
    package let path: String
    /// What a step of loading threw.
    package let reason: any Error

    /// Of a file that was damaged after the catalog looked at it, says what the catalog would say.
    package init(_ entry: CatalogEntry, _ error: any Error) {
        id = entry.id
        path = entry.path
        var damaged = entry
        switch error {
        case let error as ELFProblem: damaged.problem = .binary(error)
        case let error as SystemError where error.path == entry.file:
            damaged.problem = .binary(.unreadable(error))
        default:
            reason = error
            return
        }
        reason = UnusableModule(entry: damaged)
    }

    private init(id: String, path: String, reason: any Error) {
        self.id = id
        self.path = path
        self.reason = reason
    }
}

extension ModuleError: Diagnosable {
    /// The reason's messages, each with the module's id and file.
    package var diagnostics: [Diagnostic] {
        switch reason {
        case let reason as UnusableModule:
            reason.diagnostics
        case let reason as BinaryFaults:
            reason.faults.flatMap { ModuleError(id: id, path: path, reason: $0).diagnostics }
        case let reason as LoadFailure:
            [reason.diagnostic(of: id).naming(id, path)]
        case let reason as any Diagnosable:
            reason.diagnostics.map { $0.naming(id, path) }
        case let reason as RegistrationError:
            reason.problems.map { problem in
                Diagnostic(
                    "registers \(Need(problem.registration.request)) twice: "
                        + "at \(problem.earlier.place) and at \(problem.registration.place)",
                    fix: "register each thing once, or under different names", code: .badData
                ).naming(id, path)
            }
        default:
            [Diagnostic(String(describing: reason), code: .badData).naming(id, path)]
        }
    }
}

extension ModuleError: CustomStringConvertible {
    package var description: String {
        diagnostics.map(\.description).joined(separator: "\n")
    }
}
