// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesInterface

/// The way to the list of all users.
public protocol UsersRoute: Sendable {
    /// Opens the list above this screen.
    func openUsers() async throws
}

/// The way to a choice among all users.
public protocol PickUserRoute: Sendable {
    /// Shows all users as a dialogue, and waits until the person has chosen one.
    ///
    /// - Throws: ``NoResult`` if the person went back, or if another screen took the place of the list.
    func pickUser() async throws -> User
}

/// Creates the list of all users.
public protocol UsersFactory: Sendable {
    /// Creates the list's model.
    ///
    /// - Parameters:
    ///   - source: The name of the ``UserService`` that is asked, such as `v2`; `nil` for the unnamed one.
    ///   - router: The router of the new screen.
    ///   - picked: A function that gets the user whom the person chooses; `nil` for a list that only shows.
    /// - Throws: ``EavesInterface/ResolutionError`` if no source has the name.
    func makeUsers(
        from source: String?, router: ScreenRouter, picked: (@Sendable (User) async -> Void)?
    ) throws -> any UsersViewModelInterface
}

/// Shows all users.
public protocol UsersViewModelInterface: ScreenModel {
    /// Asks the service for all users.
    func users() async throws -> [User]
}

extension UsersRoute where Self: Router {
    /// Resolves the factory, and opens its screen above this one.
    public func openUsers() async throws {
        let factory = try container.resolve((any UsersFactory).self)
        try await open(Link("users")) {
            try factory.makeUsers(from: nil, router: $0, picked: nil)
        }
    }
}

extension PickUserRoute where Self: Router {
    /// Resolves the factory, opens its screen as a dialogue, and waits for the choice.
    public func pickUser() async throws -> User {
        let factory = try container.resolve((any UsersFactory).self)
        return try await result(of: Link("users")) { router, finish in
            try factory.makeUsers(from: nil, router: router, picked: finish)
        }
    }
}

extension ScreenRouter: UsersRoute, PickUserRoute {}
