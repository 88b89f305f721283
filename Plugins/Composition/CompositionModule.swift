// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import CommonInterface
import EavesInterface
import LoginInterface
import ProfileInterface
import TrackingInterface

/// The composition root: it alone knows the interfaces of several features, and brings them together.
///
/// Each feature has a folder here, with everything that connects it to others.
enum CompositionModule: Module {
    static func register(in registrar: any Registrar) {
        registrar.register(
            (any LoginEventHandler).self, scope: .shared,
            injecting: TrackedLogin.init(tracker:logger:))
        registrar.register((any ProfileRouting).self) { (_, router: ScreenRouter) in
            ProfileRoutes(router: router)
        }
    }
}
