// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesInterface

/// The way to the screen on which a user edits the account.
public protocol ProfileRoute: Sendable {
    /// Opens the screen above this one.
    ///
    /// - Parameter user: The id of the user.
    func openProfile(of user: User.ID) async throws
}

/// Creates the screen on which a user edits the account.
public protocol ProfileFactory: Sendable {
    /// Creates the screen's model.
    ///
    /// - Parameters:
    ///   - user: The id of the user; `nil` before a login.
    ///   - router: The router of the new screen.
    func makeProfile(of user: User.ID?, router: ScreenRouter) throws
        -> any ProfileViewModelInterface
}

/// Lets a user edit the account.
public protocol ProfileViewModelInterface: ScreenModel {
    /// Saves the user's account.
    ///
    /// - Parameters:
    ///   - name: The new name.
    ///   - email: The new address; empty for none.
    ///   - color: The new colour, such as `#3366cc`.
    func save(name: String, email: String, color: String) async throws
}

extension ProfileRoute where Self: Router {
    /// Resolves the factory, and opens its screen above this one.
    public func openProfile(of user: User.ID) async throws {
        let factory = try container.resolve((any ProfileFactory).self)
        try await open(Link("profile", ["user": String(user)])) {
            try factory.makeProfile(of: user, router: $0)
        }
    }
}

extension ScreenRouter: ProfileRoute {}
