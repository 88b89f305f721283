// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import CommonInterface
import EavesInterface

/// Provides the navigator, and the feature that opens links and saved states.
enum NavigationModule: Module {
    static func register(in registrar: any Registrar) throws {
        let file = try registrar.settings.path("state").map(StateFile.init(path:))
        let start = try registrar.settings.string("start") ?? "eaves://login"
        registrar.register((any Navigator).self, scope: .shared) { _ in ScreenNavigator() }
        registrar.registerFeature("navigate", needs: [.service((any Navigator).self)]) {
            NavigateFeature(
                container: $0, navigator: try $0.resolve((any Navigator).self),
                logger: try $0.resolve(Logger.self), file: file, start: start)
        }
    }
}
