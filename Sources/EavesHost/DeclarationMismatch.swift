// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

package import EavesDiagnostics

/// A module registered something else than it declares.
package struct DeclarationMismatch: Error, Hashable, Sendable {
    /// Registered, but not declared.
    let undeclared: [String]
    /// Declared, but not registered.
    let unregistered: [String]
    /// Registered, but no protocol of the interface, so that nobody else could ask for it.
    let foreign: [String]
    /// Registered, but provided by the host itself.
    let reserved: [String]

    var isEmpty: Bool {
        undeclared.isEmpty && unregistered.isEmpty && foreign.isEmpty && reserved.isEmpty
    }
}

extension DeclarationMismatch: Diagnosable {
    package var diagnostics: [Diagnostic] {
        var said: [Diagnostic] = []
        var parts: [String] = []
        if !undeclared.isEmpty {
            parts.append(
                "registers what it does not declare: " + undeclared.joined(separator: ", "))
        }
        if !unregistered.isEmpty {
            parts.append(
                "declares what it does not register: " + unregistered.joined(separator: ", "))
        }
        if !parts.isEmpty {
            said.append(
                Diagnostic(
                    parts.joined(separator: "; "),
                    fix: "make module.json and what the module registers agree, and rebuild it",
                    code: .badData))
        }
        if !foreign.isEmpty {
            said.append(
                Diagnostic(
                    "registers \(foreign.joined(separator: ", ")): expected a protocol of "
                        + "EavesInterface, which others can ask for",
                    fix: "register it as a protocol of the interface", code: .badData))
        }
        if !reserved.isEmpty {
            said.append(
                Diagnostic(
                    "registers \(reserved.joined(separator: ", ")), "
                        + "which the host itself provides",
                    fix: "leave it to the host, and ask for it where it is needed", code: .badData))
        }
        return said
    }
}
