// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

/// Everything that is wrong with a manifest.
package struct ManifestError: Error, Hashable, Sendable {
    /// The file as it was named.
    package var path: String
    /// Never empty, in the order of the file.
    package var problems: [ManifestProblem]

    package init(_ path: String, _ problems: [ManifestProblem]) {
        self.path = path
        self.problems = problems
    }
}
