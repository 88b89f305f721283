// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

package import EavesDiagnostics

/// There is no module of an id.
package struct UnknownModuleError: Error, Hashable, Sendable {
    package let id: String
    /// The ids of all modules.
    package let known: [String]

    package init(id: String, known: [String]) {
        self.id = id
        self.known = known
    }
}

extension UnknownModuleError: Diagnosable {
    package var diagnostic: Diagnostic {
        Diagnostic(
            "there is no module \(id.quoted)" + NearMatch.suffix(for: id, among: known),
            fix: "see all modules with 'eaves list'", code: .notFound)
    }
}
