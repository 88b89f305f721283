// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

/// Makes the login screen.
public protocol LoginFactory: Sendable {
    /// The login screen.
    ///
    /// - Parameter name: The name to log in with; without one the person is asked.
    func makeLogin(name: String?) throws -> any Feature
}
