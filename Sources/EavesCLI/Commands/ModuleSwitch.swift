// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesCatalog
import EavesHost
import EavesManifest

/// Switches a module on or off in the manifest.
struct ModuleSwitch {
    let isOn: Bool

    func set(_ options: ParsedOptions, _ terminal: Terminal) throws -> Int32 {
        let manifest = try options.manifest()
        let id = options.operands[0]
        let catalog = Catalog(manifest: manifest, profile: .current)
        guard catalog.entry(id) != nil else {
            throw LookupFault.module(id, known: catalog.entries.map(\.id))
        }
        var editor = try ManifestEditor(manifest.path)
        try editor.setEnabled(id, isOn)
        let word = isOn ? "enabled" : "disabled"
        terminal.say(editor.isChanged ? "\(word) \(id)" : "\(id) is \(word) already")
        try editor.save()
        return 0
    }
}
