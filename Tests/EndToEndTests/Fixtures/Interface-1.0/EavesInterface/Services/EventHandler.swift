// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

/// Takes note of what happens.
public protocol EventHandler: Sendable {
    /// Takes note of an event; returns when that is done.
    ///
    /// - Throws: Whatever keeps the event from being noted. It has not been noted then.
    func handle(_ event: Event) async throws
}
