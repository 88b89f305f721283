// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import CurrentInterface
import EavesInterface

enum CurrentsModule: Module {
    struct Currents: CurrentService {
        let source: any CurrentSource
        var speed: Int { source.measure() }
    }

    static func register(in registrar: any Registrar) {
        registrar.register((any CurrentService).self) { resolver in
            Currents(source: try resolver.resolve((any CurrentSource).self))
        }
    }
}
