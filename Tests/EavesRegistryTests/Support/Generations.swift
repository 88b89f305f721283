// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesInterface
import EavesRegistry

/// What a generation of a module registers.
func generation(
    of module: String, _ register: (StagedRegistrar) -> Void
) -> StagedRegistrar {
    let registrar = StagedRegistrar(module: module, settings: Settings())
    register(registrar)
    return registrar
}

/// An engine that knows its generation.
final class NumberedEngine: Engine {
    let id: Int

    init(_ id: Int) {
        self.id = id
    }
}

/// A car that keeps its engine.
final class KeepingCar: Car {
    let engine: any Engine

    init(_ engine: any Engine) {
        self.engine = engine
    }
}
