// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

public import CommonInterface

/// The ways that the profile needs out of its screen. The profile owns this protocol; the composition
/// implements it.
///
/// It is resolved with the screen's `ScreenRouter` as its runtime argument.
public protocol ProfileRouting: Sendable {
    /// Leaves the screen after the account was saved.
    ///
    /// - Parameter user: The user as saved.
    func saved(_ user: User) async throws

    /// Leaves the screen because no user has logged in.
    func nobodyLoggedIn() async throws
}
