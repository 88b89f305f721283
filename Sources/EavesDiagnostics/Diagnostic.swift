// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

/// One message for a person: what failed and where, how to mend it, and the exit code it stands for.
package struct Diagnostic: Error, Hashable, Sendable {
    /// What failed, with which module and path, expected against found. No full stop, no prefix.
    package var message: String
    /// How to mend it, as an imperative. `nil` where nothing general can be said.
    package var fix: String?
    /// The exit code of a command that ends because of this.
    package var code: FailureCode

    package init(_ message: String, fix: String? = nil, code: FailureCode) {
        self.message = message
        self.fix = fix
        self.code = code
    }
}

extension Diagnostic: CustomStringConvertible {
    /// The message and, on a line of its own, the fix.
    package var description: String {
        fix.map { "\(message)\nfix: \($0)" } ?? message
    }
}
