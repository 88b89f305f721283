// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesCLI
import EavesHost
import GreetingAPI

EavesCommand.main(
    name: "acme", version: "2.1",
    interfaces: [LinkedInterface(id: "greeting-api", module: "GreetingAPI", version: "1.0")]
) { services in
    services.provide((any DayClock).self, scope: .shared) { _ in NightClock() }
}

/// The command's own service.
struct NightClock: DayClock {
    let hour = 22
}
