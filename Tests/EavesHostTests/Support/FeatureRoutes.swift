// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import CommonInterface
import EavesInterface

// The factories of the common interface make screens. Those of the modules here make features instead, to
// which the host's own routes lead.

/// A factory that makes features.
protocol FeatureFactory: Sendable {
    func makeLogin(name: String?) throws -> any Feature
}

extension LoginFactory {
    /// The default is for the modules of these tests, whose factories make features.
    func makeLogin(
        name: String, router: ScreenRouter
    ) throws -> any LoginViewModelInterface {
        throw NoScreen()
    }
}

/// A factory that was asked for what it does not make.
struct NoScreen: Error {}

/// The route to a login that is a feature.
struct LoginRoute: Route {
    var name: String?

    func feature(from factory: any LoginFactory) throws -> any Feature {
        guard let factory = factory as? any FeatureFactory else { throw NoScreen() }
        return try factory.makeLogin(name: name)
    }
}

/// The route to the home of a user, to which no module of these tests leads.
struct HomeRoute: Route {
    let user: User

    func feature(from factory: any HomeFactory) throws -> any Feature {
        throw NoScreen()
    }
}
