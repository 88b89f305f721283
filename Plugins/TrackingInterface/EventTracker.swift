// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

/// Takes events of any type. It does not know their senders.
public protocol EventTracker: Sendable {
    /// Takes an event.
    ///
    /// - Throws: The reason why it could not be kept.
    func send<Tracked: TrackedEvent>(_ event: Tracked) async throws
}

/// An event that a tracker can take.
public protocol TrackedEvent: Sendable {
    /// The kind of event, such as `login.succeeded`.
    var name: String { get }
    /// Further details.
    var attributes: [String: String] { get }
}
