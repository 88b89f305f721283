// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

/// Knows the users.
public protocol UserService: Sendable {
    /// All users, in ascending order of their ids.
    func users() async throws -> [User]

    /// The user of that name, if there is one.
    func user(named name: String) async throws -> User?
}

extension UserService {
    /// Looks through all users.
    public func user(named name: String) async throws -> User? {
        try await users().first { $0.name == name }
    }
}
