// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

/// What a build tells while it goes on.
package enum BuildEvent: Sendable {
    /// The compiler was started for a module.
    case compiling(BuildRequest)
    /// A module is done, one way or another. Comes once for each request.
    case finished(BuildResult)
}
