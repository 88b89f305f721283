// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

/// Records events.
public protocol EventHandler: Sendable {
    /// Records an event, and returns when that is done.
    ///
    /// - Throws: The reason why the event could not be recorded.
    func handle(_ event: Event) async throws
}

/// Something that happened in a feature.
public struct Event: Hashable, Sendable {
    /// The kind of event, such as `login.succeeded`.
    public let name: String
    /// Further details.
    public let attributes: [String: String]

    /// Creates an event.
    ///
    /// - Parameters:
    ///   - name: What happened, such as `login.succeeded`.
    ///   - attributes: Further details.
    public init(_ name: String, attributes: [String: String] = [:]) {
        self.name = name
        self.attributes = attributes
    }
}
