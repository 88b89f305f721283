// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

/// Makes the home screen.
public protocol HomeFactory: Sendable {
    /// The home screen.
    ///
    /// - Parameter user: Who has logged in.
    func makeHome(for user: User) throws -> any Feature
}
