// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

/// How far down a module stands: what it may need of others follows from it.
package enum Layer: String, CaseIterable, Sendable {
    /// Serves others and needs nothing that only a feature provides.
    case core
    /// Something a person can launch.
    case feature
    /// Puts others together.
    case composition
}
