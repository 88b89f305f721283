// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesInterface

/// The way to the login screen.
public protocol LoginRoute: Sendable {
    /// Opens the login screen in place of all open screens.
    func openLogin() async throws
}

/// Creates the login screen.
public protocol LoginFactory: Sendable {
    /// Creates the model of the login screen.
    ///
    /// - Parameters:
    ///   - name: The name that is filled in at first.
    ///   - router: The router of the new screen.
    func makeLogin(name: String, router: ScreenRouter) throws -> any LoginViewModelInterface
}

/// Lets a person log in.
public protocol LoginViewModelInterface: ScreenModel {
    /// Logs in, and opens the home screen.
    ///
    /// - Parameters:
    ///   - name: The user's name.
    ///   - password: The user's password.
    func logIn(name: String, password: String) async throws
}

extension LoginRoute where Self: Router {
    /// Resolves the factory, and opens its screen in place of all open screens.
    public func openLogin() async throws {
        let factory = try container.resolve((any LoginFactory).self)
        try await open(Link("login"), as: .root) { try factory.makeLogin(name: "", router: $0) }
    }
}

extension ScreenRouter: LoginRoute {}
