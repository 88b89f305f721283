// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import CommonInterface
import EavesInterface
import LoginInterface
import ProfileInterface

/// Takes the place of the shipped composition: the login's events go to the event handler without a tracker,
/// and the profile leads straight back.
enum OtherCompositionModule: Module {
    static func register(in registrar: any Registrar) {
        registrar.register((any LoginEventHandler).self, injecting: WatchedLogin.init(events:))
        registrar.register((any ProfileRouting).self) { (_, router: ScreenRouter) in
            StraightRoutes(router: router)
        }
    }
}

struct WatchedLogin: LoginEventHandler {
    let events: any EventHandler

    func handle(_ event: LoginEvent) async {
        let name =
            switch event {
            case .succeeded: "watched.in"
            case .refused: "watched.out"
            @unknown default: "watched"
            }
        try? await events.handle(Event(name))
    }
}

struct StraightRoutes: ProfileRouting {
    let router: ScreenRouter

    func saved(_ user: User) async throws { await router.close() }

    func nobodyLoggedIn() async throws { try await router.openRegister(name: "") }
}
