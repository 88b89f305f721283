// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

package import EavesDiagnostics
import EavesRegistry

/// A module could not be loaded; nothing of it is registered.
package struct ModuleError: Error, Sendable {
    package let id: String
    /// The module's file, as people see it.
    package let path: String
    /// What a step of loading threw.
    package let reason: any Error
}

extension ModuleError: Diagnosable {
    /// The reason's messages, each with the module's id and file.
    package var diagnostics: [Diagnostic] {
        switch reason {
        case let reason as UnusableModule:
            reason.diagnostics
        case let reason as any Diagnosable:
            reason.diagnostics.map { $0.naming(id, path) }
        case let reason as RegistrationError:
            [
                Diagnostic(
                    reason.description,
                    fix: "register each service once; "
                        + "'eaves swap' chooses between modules that provide the same",
                    code: .badData
                ).naming(id, path)
            ]
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
