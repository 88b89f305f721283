// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import CommonInterface
import ProfileInterface

/// Leads from the profile to other features, which the profile does not know.
struct ProfileRoutes: ProfileRouting {
    let router: ScreenRouter

    func saved(_ user: User) async throws {
        await router.close()
        try await router.openPopUp(message: "The account of \(user.name) is saved.")
    }

    func nobodyLoggedIn() async throws {
        try await router.openLogin()
    }
}
