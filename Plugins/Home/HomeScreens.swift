// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesInterface

/// Makes home screens.
struct HomeScreens: HomeFactory {
    func makeHome(for user: User) -> any Feature {
        HomeScreen(user: user)
    }
}
