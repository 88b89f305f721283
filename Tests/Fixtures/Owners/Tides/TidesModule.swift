// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesInterface
import TideInterface

enum TidesModule: Module {
    struct Tides: Feature {
        let watcher: any TideWatcher

        func launch(_ launch: Launch) async throws -> ExitCode {
            watcher.saw(Tide(height: 3))
            return .success
        }
    }

    static func register(in registrar: any Registrar) {
        registrar.registerFeature("tides") { resolver in
            Tides(watcher: try resolver.resolve((any TideWatcher).self))
        }
    }
}
