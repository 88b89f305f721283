// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

public import EavesInterface

/// Creates the home screen.
public protocol HomeFactory: Sendable {
    /// Creates the home screen.
    ///
    /// - Parameter user: The user who has logged in.
    func makeHome(for user: User) throws -> any Feature
}

/// The route to the home screen of a user who has logged in.
public struct HomeRoute: Route {
    /// The user who has logged in.
    public let user: User

    /// Creates a route.
    ///
    /// - Parameter user: The user who has logged in.
    public init(user: User) {
        self.user = user
    }

    /// Creates the home screen.
    public func feature(from factory: any HomeFactory) throws -> any Feature {
        try factory.makeHome(for: user)
    }
}
