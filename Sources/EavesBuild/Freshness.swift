// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

/// How a module's file stands to the sources it is built from.
package enum Freshness: Hashable, Sendable {
    /// We built it, and nothing has been touched since.
    case fresh
    /// We built it, and something may have changed since.
    case stale
    /// Somebody else put it there, so that nothing but an explicit build may replace it.
    case foreign
    /// There is no file.
    case missing
}
