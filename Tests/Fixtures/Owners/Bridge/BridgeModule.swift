// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import CurrentInterface
import EavesInterface
import TideInterface

enum BridgeModule: Module {
    struct Watcher: TideWatcher {
        func saw(_ tide: Tide) { print("a tide of \(tide.height)") }
    }

    struct Source: CurrentSource {
        func measure() -> Int { 5 }
    }

    static func register(in registrar: any Registrar) {
        registrar.register((any TideWatcher).self) { _ in Watcher() }
        registrar.register((any CurrentSource).self) { _ in Source() }
    }
}
