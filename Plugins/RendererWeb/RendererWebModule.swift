// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import CommonInterface
import EavesInterface

/// Provides a renderer that shows screens as pages in a browser.
enum RendererWebModule: Module {
    static func register(in registrar: any Registrar) {
        registrar.register((any ScreenRenderer).self) { _ in WebRenderer() }
    }
}

/// Shows screens as pages of a small server on this machine, at an address that only its reader knows.
struct WebRenderer: ScreenRenderer {
    /// It needs a browser, and no terminal.
    func canDraw(on console: any Console) -> Bool { true }

    func open(on console: any Console) async throws -> any ScreenDisplay {
        let display = WebDisplay()
        // A message, which is not kept back: output stays in a buffer until the feature ends.
        console.warn("Open \(try display.start())")
        return display
    }
}
