// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesInterface

/// Notes events in a file: `settings.path`, or `events.jsonl` beside the manifest.
enum AnalyticsModule: Module {
    static func register(in registrar: any Registrar) throws {
        let settings = registrar.settings
        let path = try settings.path("path") ?? settings.path(relative: "events.jsonl")
        registrar.register((any EventHandler).self, scope: .shared) { _ in EventFile(path: path) }
    }
}
