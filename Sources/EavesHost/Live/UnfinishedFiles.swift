// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesSystem

/// The files of modules that another process may still be writing, by the ids of their modules, and when a look
/// has first seen each of them as it is now.
///
/// A file that grows gets more time with each piece; one that stays as it is does not.
struct UnfinishedFiles: Sendable {
    private var seen: [String: (identity: FileIdentity, since: ContinuousClock.Instant)] = [:]

    var isEmpty: Bool { seen.isEmpty }

    /// Whether a file that cannot be read whole may still become so. Notes that it was seen.
    ///
    /// - Parameter limit: How long it may stay as it is.
    mutating func isWorthWaiting(
        for module: String, _ identity: FileIdentity, within limit: Duration,
        at now: ContinuousClock.Instant = .now
    ) -> Bool {
        if let seen = seen[module], seen.identity == identity {
            return now - seen.since < limit
        }
        seen[module] = (identity, now)
        return true
    }

    /// Forgets the file of a module: it is whole, or refused.
    mutating func forget(_ module: String) { seen[module] = nil }
}
