// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

/// The way to the login.
public struct LoginRoute: Route {
    /// The name to log in with; without one the person is asked.
    public let name: String?

    /// - Parameter name: The name to log in with; without one the person is asked.
    public init(name: String? = nil) {
        self.name = name
    }

    /// The login screen.
    public func feature(from factory: any LoginFactory) throws -> any Feature {
        try factory.makeLogin(name: name)
    }
}
