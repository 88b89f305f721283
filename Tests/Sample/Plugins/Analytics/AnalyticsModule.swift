// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import CommonInterface
import EavesInterface

/// Records events in a file: the setting `path`, or `events.jsonl` next to the manifest.
enum AnalyticsModule: Module {
    static func register(in registrar: any Registrar) throws {
        let settings = registrar.settings
        let path = try settings.path("path") ?? settings.path(relative: "events.jsonl")
        registrar.register((any EventHandler).self, scope: .shared) { _ in EventFile(path: path) }
    }
}
