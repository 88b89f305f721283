// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesCatalog
package import EavesDiagnostics

extension SwapError: Diagnosable {
    package var diagnostics: [Diagnostic] {
        switch self {
        case .unknownService(let service, let known):
            [
                Diagnostic(
                    "no module provides a service '\(service)'"
                        + NearMatch.suffix(for: service, among: known),
                    fix: "see all services with 'eaves list'", code: .notFound)
            ]
        case .unknownModule(let module, let known):
            [
                Diagnostic(
                    "there is no module '\(module)'" + NearMatch.suffix(for: module, among: known),
                    fix: "choose \(known.joined(separator: " or "))", code: .notFound)
            ]
        case .notProvided(let service, let module, let providers):
            [
                Diagnostic(
                    "module '\(module)' does not provide \(service)",
                    fix: "choose \(providers.joined(separator: " or "))", code: .notFound)
            ]
        case .unusable(let entry) where entry.isEnabled:
            entry.diagnostics
        case .unusable(let entry):
            [
                Diagnostic(
                    "module '\(entry.id)' is disabled",
                    fix: "'eaves enable \(entry.id)', and swap again", code: .noProvider)
            ]
        case .nothingToUndo:
            [
                Diagnostic(
                    "there is no swap to undo",
                    fix: "bind a service with 'eaves swap SERVICE MODULE'", code: .notFound)
            ]
        case .changedSince(let swap, let found):
            [
                Diagnostic(
                    "\(swap.service): expected it bound to '\(swap.to)', as the last swap left it, "
                        + "found \(found.map { "'\($0)'" } ?? "no binding")",
                    fix: swap.from.map { "choose with 'eaves swap \(swap.service) \($0)'" }
                        ?? "remove the binding from the manifest",
                    code: .configuration)
            ]
        case .damagedHistory(let path):
            [
                Diagnostic(
                    "\(path): expected the history that eaves wrote, found something else",
                    fix: "remove the file; the manifest stays as it is", code: .badData)
            ]
        }
    }
}
