// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesDiagnostics
import EavesLoader

/// A module's binary is not what it has to be.
enum BinaryFault: Error, Hashable, Sendable {
    /// Not the bytes that the manifest pins. Lowercase hexadecimal.
    case digest(expected: String, found: String)
    /// It defines symbols of the interface itself. Mangled.
    case carriesInterface([String])
    /// It needs symbols of the interface that this host does not have. Mangled.
    case needsOtherInterface([String])
}

extension BinaryFault: Diagnosable {
    var diagnostics: [Diagnostic] {
        switch self {
        case .digest(let expected, let found):
            [
                Diagnostic(
                    "expected SHA-256 \(expected), found \(found)",
                    fix: "put back the module that was pinned, or correct 'sha256' in the "
                        + "manifest if the new one is meant",
                    code: .untrusted)
            ]
        case .carriesInterface(let symbols):
            [
                Diagnostic(
                    "carries a copy of EavesInterface of its own, whose types would not be this "
                        + "host's (\(symbols.count) symbols, such as "
                        + "'\(HostSymbols.demangled(symbols[0]))')",
                    fix: "build it with 'eaves build', which does not link the interface",
                    code: .incompatible)
            ]
        case .needsOtherInterface(let symbols):
            [
                Diagnostic(
                    "needs what this host's EavesInterface does not have: "
                        + symbols.map { "'\(HostSymbols.demangled($0))'" }.sorted()
                        .joined(separator: ", "),
                    fix: "rebuild it against this host's interface with 'eaves build', "
                        + "or use a host that has it",
                    code: .incompatible)
            ]
        }
    }
}
