// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

package import EavesDiagnostics

/// What became of one request.
package struct BuildResult: Sendable {
    package enum Outcome: Sendable {
        /// Nothing has changed since it was built.
        case upToDate
        /// It was compiled, in so long.
        case built(Duration)
        /// The file that stood there stands there still.
        case failed(BuildError)
    }

    package var request: BuildRequest
    package var outcome: Outcome
    /// All that the compiler printed, as it printed it: the errors, or the warnings of a success.
    package var compilerOutput: String = ""
    /// What went wrong beside the build itself: the module is there, the next build may be slower.
    package var warnings: [Diagnostic] = []

    package var id: String { request.id }

    package var error: BuildError? {
        if case .failed(let error) = outcome { error } else { nil }
    }
}
