// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import CommonInterface
import EavesInterface

/// Provides the renderer that writes and reads lines; under the name `plain` also where another is bound.
enum RendererPlainModule: Module {
    static func register(in registrar: any Registrar) {
        registrar.register((any ScreenRenderer).self) { _ in PlainRenderer() }
        registrar.register((any ScreenRenderer).self, name: "plain") { _ in PlainRenderer() }
    }
}

/// Draws screens as lines of text, on any console.
struct PlainRenderer: ScreenRenderer {
    func canDraw(on console: any Console) -> Bool { true }

    func open(on console: any Console) -> any ScreenDisplay { PlainDisplay(console: console) }
}
