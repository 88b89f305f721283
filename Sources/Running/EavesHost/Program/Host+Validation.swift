// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

package import EavesCatalog
import EavesDeclaration
public import EavesDiagnostics
import EavesInterface
public import EavesLife
import EavesModules
import EavesRegistry
import EavesRules

extension Host {
    /// Finds every mistake in how the manifest and its modules fit together, for all features at once:
    /// what is missing, ambiguous, circular, or cannot be used.
    ///
    /// Compares what the modules declare, which runs none of their code.
    ///
    /// No module has to provide what the program itself provides.
    ///
    /// - Parameter isLoading: Whether to load the modules too, which runs the code that registers, and to
    ///   check what they register. Modules that were loaded stay loaded.
    /// - Returns: The problems, each once, in an order that is the same for the same modules; none if
    ///   everything fits.
    /// - Throws: ``HostError`` if modules had to be built first, and could not be.
    public func validate(loading isLoading: Bool = false) throws(HostError) -> [Diagnostic] {
        try mistakes(loading: isLoading).map(\.diagnostic)
    }

    /// Finds every mistake as ``validate(loading:)`` does, with what a report about them says besides.
    package func mistakes(loading isLoading: Bool) throws(HostError) -> [Mistake] {
        try HostError.wrapping {
            var known: Set<Diagnostic> = []
            var found: [Mistake] = []
            for problem in try findProblems(loading: isLoading) {
                if let capability = problem.missing, isOwn(capability) { continue }
                for (index, diagnostic) in problem.diagnostics.enumerated()
                where known.insert(diagnostic).inserted {
                    // The first message is about the module, the others are about its interface.
                    let lack = index == 0 ? problem.lack : nil
                    found.append(Mistake(diagnostic: diagnostic, kind: problem.kind, lack: lack))
                }
            }
            return found
        }
    }

    /// A mistake that a validation found.
    package struct Mistake: Sendable {
        package let diagnostic: Diagnostic
        /// The kind of mistake in one word, for JSON.
        package let kind: String
        /// The module, and the reason why it cannot have an interface, if that is the mistake.
        package let lack: (module: CatalogEntry, problem: InterfaceProblem)?
    }
}

extension Host {
    /// Warnings about packages of which several modules have a copy. Reads the symbols of all modules that can be used, and runs
    /// no code of them.
    package func warnOfSharedCode() -> [Diagnostic] {
        SharedCode.all(among: modules.catalog.entries.filter { $0.state == .ready })
            .map { Diagnostic($0) }
    }
}

extension HostProblem {
    /// The module and the interface that it lacks, if that is the problem.
    fileprivate var lack: (module: CatalogEntry, problem: InterfaceProblem)? {
        guard case .interface(let problem, let module) = self else { return nil }
        return (module, problem)
    }

    /// The capability that no module provides, if that is the problem.
    fileprivate var missing: Capability? {
        guard case .provider(.missing(let sought, _, _, _, _)) = self else { return nil }
        return sought.capability
    }
}
