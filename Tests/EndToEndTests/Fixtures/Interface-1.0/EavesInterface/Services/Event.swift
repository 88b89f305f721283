// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

/// Something that happened in a feature.
public struct Event: Hashable, Sendable {
    /// What happened, such as `login.succeeded`.
    public let name: String
    /// More about it.
    public let attributes: [String: String]

    /// - Parameters:
    ///   - name: What happened, such as `login.succeeded`.
    ///   - attributes: More about it.
    public init(_ name: String, attributes: [String: String] = [:]) {
        self.name = name
        self.attributes = attributes
    }
}
