// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

/// Knows the users.
public protocol UserService: Sendable {
    /// Returns all users, in ascending order of their ids.
    func users() async throws -> [User]

    /// Returns the user with a name, or `nil` if there is none.
    func user(named name: String) async throws -> User?
}

extension UserService {
    /// The default searches all users.
    public func user(named name: String) async throws -> User? {
        try await users().first { $0.name == name }
    }
}

/// A person who can log in.
public struct User: Hashable, Sendable {
    /// Unique among the users of one service.
    public let id: Int
    /// The person's name.
    public let name: String

    /// Creates a user.
    ///
    /// - Parameters:
    ///   - id: Unique among the users of one service.
    ///   - name: The person's name.
    public init(id: Int, name: String) {
        self.id = id
        self.name = name
    }
}
