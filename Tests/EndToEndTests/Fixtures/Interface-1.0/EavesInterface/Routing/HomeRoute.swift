// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

/// The way home, for a user who has logged in.
public struct HomeRoute: Route {
    /// Who has logged in.
    public let user: User

    /// - Parameter user: Who has logged in.
    public init(user: User) {
        self.user = user
    }

    /// The home screen for the user.
    public func feature(from factory: any HomeFactory) throws -> any Feature {
        try factory.makeHome(for: user)
    }
}
