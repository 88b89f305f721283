// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesJSON
package import EavesDiagnostics

/// A `module.json` that does not say what a module needs to say, with all that is wrong in it.
package struct DeclarationError: Error, Hashable, Sendable {
    /// The file, as the person would name it.
    package var path: String
    /// The module's id, if that at least is right.
    package var id: String?
    /// In the order of the file. Never empty.
    package var problems: [DeclarationProblem]

    package init(path: String, id: String? = nil, problems: [DeclarationProblem]) {
        self.path = path
        self.id = id
        self.problems = problems
    }
}

extension DeclarationError: Diagnosable {
    package var diagnostics: [Diagnostic] {
        problems.map { problem in
            let file = path.printable
            let place = problem.position.map { "\(file):\($0)" } ?? file
            return Diagnostic(
                "\(place): \(problem.message)", fix: problem.fix, code: problem.code)
        }
    }
}
