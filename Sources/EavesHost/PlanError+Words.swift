// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesCatalog
package import EavesDiagnostics

extension PlanError: Diagnosable {
    package var diagnostics: [Diagnostic] {
        // Several needs that nobody meets may have the same obstacles behind them.
        var said: Set<Diagnostic> = []
        return (problems.flatMap(\.diagnostics) + obstacles).filter { said.insert($0).inserted }
    }
}

extension PlanProblem: Diagnosable {
    package var diagnostics: [Diagnostic] {
        switch self {
        case .nobody(let need, let unusable, let obstacles, let known, let chain):
            unusable.isEmpty
                ? [Self.unknown(need, known: known, chain: chain)] + obstacles
                : unusable.flatMap { Self.unusable($0, need: need, chain: chain) }
        case .several(.feature(let name), let modules, _):
            [
                Diagnostic(
                    "feature '\(name)' is offered by \(modules.joined(separator: " and "))",
                    fix: "keep one: 'eaves disable \(modules.last ?? "")'", code: .configuration)
            ]
        case .several(let need, let modules, let chain):
            [
                Diagnostic(
                    "\(need) is provided by \(modules.joined(separator: " and "))"
                        + ", and the manifest binds it to none" + Self.neededBy(chain),
                    fix: "choose one: "
                        + modules.map { "'eaves swap \(need.word) \($0)'" }
                        .joined(separator: " or "),
                    code: .configuration)
            ]
        case .unusableBinding(let service, let module, nil, let chain):
            [
                Diagnostic(
                    "\(service) is bound to '\(module)', which is not there"
                        + Self.neededBy(chain),
                    fix: "add the module, or bind another: 'eaves swap \(service) MODULE'",
                    code: .noProvider)
            ]
        case .unusableBinding(let service, let module, let entry?, let chain):
            if !entry.isAvailable && entry.isEnabled {
                entry.diagnostics
            } else {
                [
                    Diagnostic(
                        "\(service) is bound to '\(module)', which "
                            + (entry.state == .disabled ? "is disabled" : "does not provide it")
                            + Self.neededBy(chain),
                        fix: entry.state == .disabled
                            ? "'eaves enable \(module)', or bind another: "
                                + "'eaves swap \(service) MODULE'"
                            : "bind another: 'eaves swap \(service) MODULE'",
                        code: .noProvider)
                ]
            }
        }
    }

    private static func unknown(_ need: Need, known: [String], chain: [String]) -> Diagnostic {
        let question = NearMatch.suffix(for: need.word, among: known)
        return switch need {
        case .feature(let name):
            Diagnostic(
                "no module offers a feature '\(name)'\(question)",
                fix: "see all features with 'eaves list'", code: .notFound)
        case .service:
            Diagnostic(
                "no module provides \(need)\(question)" + neededBy(chain),
                fix: "add a module that provides it, and see 'eaves list'", code: .noProvider)
        }
    }

    private static func unusable(
        _ entry: CatalogEntry, need: Need, chain: [String]
    ) -> [Diagnostic] {
        if entry.isEnabled { return entry.diagnostics }
        let code: FailureCode = if case .feature = need { .notFound } else { .noProvider }
        return [
            Diagnostic(
                "\(need) is provided by '\(entry.id)', which is \(entry.state)"
                    + neededBy(chain),
                fix: "'eaves enable \(entry.id)'", code: code)
        ]
    }

    private static func neededBy(_ chain: [String]) -> String {
        chain.isEmpty ? "" : " (needed by \(chain.reversed().joined(separator: ", needed by ")))"
    }
}

extension Need {
    /// The word that a person would type for it.
    fileprivate var word: String {
        switch self {
        case .feature(let name): name
        case .service(let service, _): service
        }
    }
}
