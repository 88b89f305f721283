// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesInterface

/// The way to the home screen.
public protocol HomeRoute: Sendable {
    /// Opens the home screen in place of all open screens.
    ///
    /// - Parameter user: The user who has logged in.
    func openHome(for user: User) async throws
}

/// Creates the home screen.
public protocol HomeFactory: Sendable {
    /// Creates the model of the home screen.
    ///
    /// - Parameters:
    ///   - user: The id of the user who has logged in; `nil` before that.
    ///   - router: The router of the new screen.
    func makeHome(for user: User.ID?, router: ScreenRouter) throws -> any HomeViewModelInterface
}

/// Welcomes a user, and leads to the other screens.
public protocol HomeViewModelInterface: ScreenModel {
    /// The id of the user who has logged in; `nil` before that.
    var user: User.ID? { get }
}

extension HomeRoute where Self: Router {
    /// Resolves the factory, and opens its screen in place of all open screens.
    public func openHome(for user: User) async throws {
        let factory = try container.resolve((any HomeFactory).self)
        try await open(Link("home", ["user": String(user.id)]), as: .root) {
            try factory.makeHome(for: user.id, router: $0)
        }
    }
}

extension ScreenRouter: HomeRoute {}
