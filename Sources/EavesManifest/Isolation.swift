// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

/// Where a module's code runs, if not in the host's own process.
package enum Isolation: String, CaseIterable, Sendable {
    /// In a process of its own, which can crash alone.
    case process
}
