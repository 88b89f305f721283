// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

package import EavesJSON
package import EavesSystem

/// One thing that is wrong with a manifest, and where.
package struct ManifestProblem: Hashable, Sendable {
    package enum Kind: Hashable, Sendable {
        case missing
        case notAFile(FileStatus.Kind)
        case system(SystemError)
        /// The file is not as it was when an edit began.
        case changedMeanwhile
        case syntax(JSONSyntaxError)
        case missingVersion
        /// - Parameter found: As it is written.
        case unsupportedVersion(found: String)
        case unknownKey(String, known: [String])
        /// - Parameter found: In words, as ``JSONNode/kind`` has it.
        case wrongType(expected: Shape, found: String)
        case empty
        /// A path or name with a NUL character, which the system would cut there.
        case containsNUL
        case invalidModuleID(String)
        case invalidServiceName(String)
        case invalidDigest(String)
        case unknownIsolation(String)
        case unknownSignatureRule(String)
        case repeatedDirectory(String)
        case invalidCompiler(String)
        case repeatedCompiler(String)
    }

    /// What a value has to be.
    package enum Shape: Hashable, Sendable {
        case object, array, string, bool
    }

    package var kind: Kind
    /// Where it stands in the file; `nil` if that is of no use, as in a text that was not saved.
    package var position: TextPosition?
    /// The way of keys that leads there, such as `modules.users`; empty for the whole.
    package var keys: String

    package init(_ kind: Kind, at position: TextPosition? = nil, keys: String = "") {
        self.kind = kind
        self.position = position
        self.keys = keys
    }
}
