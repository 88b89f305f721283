// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesInterface

/// The way to a message that the person has to confirm.
public protocol PopUpRoute: Sendable {
    /// Shows the message above this screen.
    ///
    /// - Parameter message: The text.
    func openPopUp(message: String) async throws
}

/// Creates the screen with a message.
public protocol PopUpFactory: Sendable {
    /// Creates the screen's model.
    ///
    /// - Parameters:
    ///   - message: The text.
    ///   - router: The router of the new screen.
    func makePopUp(message: String, router: ScreenRouter) throws -> any PopUpViewModelInterface
}

/// Shows a message.
public protocol PopUpViewModelInterface: ScreenModel {
    /// The text.
    var message: String { get }
}

extension PopUpRoute where Self: Router {
    /// Resolves the factory, and opens its screen as a dialogue above this one.
    public func openPopUp(message: String) async throws {
        let factory = try container.resolve((any PopUpFactory).self)
        try await open(Link("popup", ["message": message]), as: .modal) {
            try factory.makePopUp(message: message, router: $0)
        }
    }
}

extension ScreenRouter: PopUpRoute {}
