// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import CommonInterface
import EavesInterface

// The common interface has factories of screens. Routes lead to features, and these here have factories of
// their own; they are called like those, so that modules of the tests can provide either.

/// Creates a login that is a feature.
protocol LoginFactory: Sendable {
    func makeLogin(name: String?) throws -> any Feature
}

/// Creates a home that is a feature.
protocol HomeFactory: Sendable {
    func makeHome(for user: User) throws -> any Feature
}

/// The route to the login.
struct LoginRoute: Route {
    var name: String?

    func feature(from factory: any LoginFactory) throws -> any Feature {
        try factory.makeLogin(name: name)
    }
}

/// The route to the home of a user.
struct HomeRoute: Route {
    let user: User

    func feature(from factory: any HomeFactory) throws -> any Feature {
        try factory.makeHome(for: user)
    }
}
