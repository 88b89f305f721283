// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesSystem

/// A module of one content that crashed, and whether it is kept out for it.
package struct QuarantineRecord: Hashable, Sendable {
    /// The module's id.
    package let module: String
    /// Its file, as people saw it.
    package var path: String
    /// What the file hashes to: another file under the same name is another module to us.
    package let sha256: String
    /// Oldest first. Of those in a host; a crash of `eaves verify` needs no second one.
    package var crashes: [ModuleCrash] = []
    /// Since when it is kept out, in seconds since 1970; `nil` while it is not.
    package var since: Int?
    /// Why it is kept out.
    package var reason: String?

    /// What a person is told: `quarantined since 2026-11-21 10:30:00 UTC: crashed 3 times, …`.
    package var message: String {
        "quarantined since \(WallClock.text(of: since ?? 0)): \(reason ?? "it crashed")"
    }
}
