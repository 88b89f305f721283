// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

/// An error of a stage, which can say itself in words.
///
/// Stages throw data. The words for it stand in one file beside the error, named `…+Words.swift`.
package protocol Diagnosable: Error {
    /// One diagnostic a problem, all of them, in a stable order. Never empty.
    var diagnostics: [Diagnostic] { get }
}

extension Diagnostic: Diagnosable {
    package var diagnostics: [Diagnostic] { [self] }
}
