// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

package import EavesJSON

/// Why a shared object's notes do not make it a module.
package enum NoteProblem: Error, Hashable, Sendable {
    /// It has no package note at all.
    case absent
    /// It has a package note of somebody else, of this type.
    case otherType(String)
    case syntax(JSONSyntaxError)
    /// Never empty.
    case declaration([DeclarationProblem])
}
