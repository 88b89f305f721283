// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesCatalog
import EavesDeclaration
package import EavesDiagnostics
package import EavesLoader

extension InspectedModule {
    /// Checks the private copy of a module that is about to be loaded.
    ///
    /// - Throws: ``BinaryError`` with every problem that keeps it from being loaded. If the manifest's
    ///   demands are not met, or the binary cannot be read, that is the only problem.
    package func checkBeforeLoading() throws(BinaryError) {
        let problems = obstacle.map { [$0] } ?? problems(BinaryRules.beforeLoading)
        guard problems.isEmpty else { throw BinaryError(entry, problems) }
    }

    /// Checks whether the bytes are the ones that the manifest demands: their digest, their signature.
    ///
    /// - Throws: ``BinaryError`` with the first demand that is not met.
    package func checkDemands() throws(BinaryError) {
        if let problem = unmetDemand { throw BinaryError(entry, [problem]) }
    }

    /// The problems behind a failure of the dynamic linker, which names one symbol and does not tell
    /// whose it is.
    ///
    /// - Returns: `nil` if no rule knows more than the linker.
    package func explanation(of failure: LoadError) -> BinaryError? {
        guard case .undefinedSymbol = failure else { return nil }
        let problems = problems(BinaryRules.explainingTheLinker)
        return problems.isEmpty ? nil : BinaryError(entry, problems)
    }

    /// Every problem that a launch would find in the binary, including those that the dynamic linker
    /// would find. Empty if the catalog already knows a problem, or the module is disabled.
    package var launchDiagnostics: [Diagnostic] {
        guard entry.state == .ready else { return [] }
        let problems =
            obstacle.map { [$0] }
            ?? problems(BinaryRules.beforeLoading) + problems(BinaryRules.explainingTheLinker)
        return problems.isEmpty ? [] : BinaryError(entry, problems).diagnostics
    }

    /// The problem with the file that makes all other questions pointless: the manifest demands other
    /// bytes, or the binary cannot be read.
    private var obstacle: BinaryProblem? {
        if let unmetDemand { return unmetDemand }
        guard case .failure(let problem) = binary else { return nil }
        return .catalog(.binary(problem))
    }

    /// The demands of the manifest that the bytes do not fulfil: a pin, a signature, a version. Empty if they fulfil
    /// all.
    package var demandDiagnostics: [Diagnostic] {
        unmetDemand.map { BinaryError(entry, [$0]).diagnostics } ?? []
    }

    private var unmetDemand: BinaryProblem? {
        for rule in BinaryRules.demands {
            if let problem = rule.problem(of: self) { return problem }
        }
        return nil
    }

    private func problems(_ rules: [BinaryRule]) -> [BinaryProblem] {
        rules.compactMap { $0.problem(of: self) }
    }
}
