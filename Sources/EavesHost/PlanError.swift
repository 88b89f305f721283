// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

package import EavesDiagnostics

/// A feature cannot be launched, or a service not be had, as things stand.
package struct PlanError: Error, Sendable {
    /// All that is in the way; never empty.
    package let problems: [PlanProblem]
    /// What else went wrong on the way and may be the reason.
    package var obstacles: [Diagnostic] = []
}
