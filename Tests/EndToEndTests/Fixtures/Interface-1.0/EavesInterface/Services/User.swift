// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

/// Somebody who can log in.
public struct User: Hashable, Sendable {
    /// Unique among the users of one service.
    public let id: Int
    /// What the person is called.
    public let name: String

    /// - Parameters:
    ///   - id: Unique among the users of one service.
    ///   - name: What the person is called.
    public init(id: Int, name: String) {
        self.id = id
        self.name = name
    }
}
