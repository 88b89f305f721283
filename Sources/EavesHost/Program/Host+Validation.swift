// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesDiagnostics

extension Host {
    /// Finds every mistake in how the manifest and its modules fit together, for all features at once:
    /// what is missing, ambiguous, circular, or cannot be used.
    ///
    /// Compares what the modules declare, which runs none of their code.
    ///
    /// - Parameter isLoading: Whether to load the modules too, which runs the code that registers, and to
    ///   check what they register. Modules that were loaded stay loaded.
    /// - Returns: The problems, each once, in an order that is the same for the same modules; none if
    ///   everything fits.
    /// - Throws: ``HostError`` if modules had to be built first, and could not be.
    public func validate(loading isLoading: Bool = false) throws(HostError) -> [HostError.Problem] {
        try HostError.wrapping {
            var known: Set<Diagnostic> = []
            return try findProblems(loading: isLoading).flatMap { problem in
                problem.diagnostics.filter { known.insert($0).inserted }.map {
                    HostError.Problem($0, kind: HostError.Problem.Kind(rawValue: problem.kind))
                }
            }
        }
    }
}
