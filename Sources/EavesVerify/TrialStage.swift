// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

/// What checks share a process.
enum TrialStage: CaseIterable, Sendable {
    /// The module registers as in a host.
    case registered
    /// The module meets hosts that it cannot register in.
    case strange
    /// The module meets a later host first.
    case later
    /// One feature is launched; a process for each.
    case feature
}
