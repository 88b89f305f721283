// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

package import EavesJSON
package import EavesSystem

/// One thing that is wrong in `module.json` or in a note.
package struct DeclarationProblem: Hashable, Sendable {
    package enum Cause: Hashable, Sendable {
        case unreadable(SystemError)
        case syntax(JSONSyntaxError)
        case unknownKey(String, known: [String])
        case missingKey(String)
        case wrongType(expected: String, found: String)
        case badName(String, NameRule)
        case unknownLayer(String)
        case badInterface(String)
        case repeated(String)
        /// The note has the module's id twice, and the two differ.
        case nameDiffers(name: String, id: String)
    }

    package var cause: Cause
    /// The way to the value, such as `provides[0].service`; empty for the whole.
    package var key: String
    /// `nil` in a note, which is one line that nobody edits.
    package var position: TextPosition?

    package init(_ cause: Cause, key: String = "", position: TextPosition? = nil) {
        self.cause = cause
        self.key = key
        self.position = position
    }
}
