// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import CommonInterface
import EavesInterface

/// Provides a renderer that draws screens on the whole terminal.
enum RendererTerminalModule: Module {
    static func register(in registrar: any Registrar) {
        registrar.register((any ScreenRenderer).self, scope: .shared) { _ in TerminalRenderer() }
    }
}
