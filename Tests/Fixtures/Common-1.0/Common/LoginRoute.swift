// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

public import EavesInterface

/// Creates the login screen.
public protocol LoginFactory: Sendable {
    /// Creates the login screen.
    ///
    /// - Parameter name: The name to log in with. With `nil`, the login screen asks the person.
    func makeLogin(name: String?) throws -> any Feature
}

/// The route to the login screen.
public struct LoginRoute: Route {
    /// The name to log in with. With `nil`, the login screen asks the person.
    public let name: String?

    /// Creates a route.
    ///
    /// - Parameter name: The name to log in with. With `nil`, the login screen asks the person.
    public init(name: String? = nil) {
        self.name = name
    }

    /// Creates the login screen.
    public func feature(from factory: any LoginFactory) throws -> any Feature {
        try factory.makeLogin(name: name)
    }
}
