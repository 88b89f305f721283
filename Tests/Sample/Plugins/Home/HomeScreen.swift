// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import CommonInterface
import EavesInterface

/// Welcomes the user.
struct HomeScreen: Feature {
    let user: User

    func launch(_ launch: Launch) async throws -> ExitCode {
        try launch.console.print("Welcome home, \(user.name)!")
        return .success
    }
}

/// Creates home screens.
struct HomeScreens: HomeFactory {
    func makeHome(for user: User) -> any Feature {
        HomeScreen(user: user)
    }
}
