// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesInterface

/// The way to the screen on which people register.
public protocol RegisterRoute: Sendable {
    /// Opens the screen above this one.
    ///
    /// - Parameter name: The name that is filled in at first.
    func openRegister(name: String) async throws
}

/// Creates the screen on which people register.
public protocol RegisterFactory: Sendable {
    /// Creates the screen's model.
    ///
    /// - Parameters:
    ///   - name: The name that is filled in at first.
    ///   - router: The router of the new screen.
    func makeRegister(name: String, router: ScreenRouter) throws -> any RegisterViewModelInterface
}

/// Lets a person register.
public protocol RegisterViewModelInterface: ScreenModel {
    /// Adds a user, and opens the user's home screen.
    ///
    /// - Parameters:
    ///   - name: The user's name.
    ///   - password: The user's password.
    ///   - repeated: The password once more.
    func register(name: String, password: String, repeated: String) async throws
}

extension RegisterRoute where Self: Router {
    /// Resolves the factory, and opens its screen above this one.
    public func openRegister(name: String) async throws {
        let factory = try container.resolve((any RegisterFactory).self)
        try await open(Link("register", name.isEmpty ? [:] : ["name": name])) {
            try factory.makeRegister(name: name, router: $0)
        }
    }
}

extension ScreenRouter: RegisterRoute {}
