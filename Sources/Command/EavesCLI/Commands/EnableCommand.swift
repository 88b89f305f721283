// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesHost
import EavesOutput

extension Subcommand {
    /// `eaves enable ID`
    static let enable = Subcommand(
        name: "enable",
        summary: "switch a module on",
        operands: "ID",
        operandCount: 1...1,
        completed: [.module],
        options: [HostVerdict.option, .manifest],
        changesManifest: true,
        discussion: """
            Writes that into the manifest, in one step. With '--wait', the command ends when running hosts
            have taken it on, and fails as they do.
            """,
        run: .synchronous { try $0.setEnabled(true) })

    /// `eaves disable ID`
    static let disable = Subcommand(
        name: "disable",
        summary: "switch a module off",
        operands: "ID",
        operandCount: 1...1,
        completed: [.module],
        options: [HostVerdict.option, .manifest],
        changesManifest: true,
        discussion: """
            Writes that into the manifest, in one step. A module that is off provides nothing and is
            never loaded. With '--wait', the command ends when running hosts have taken it on, and fails as
            they do.
            """,
        run: .synchronous { try $0.setEnabled(false) })
}

extension SubcommandCall {
    /// Switches the module that the operand names on or off, in the manifest.
    fileprivate func setEnabled(_ isEnabled: Bool) throws -> Int32 {
        let (id, manifest) = (options.operands[0], try options.manifest())
        return try HostVerdict(options).after(manifest, [id], terminal) {
            let host = try Host(manifest: manifest)
            let isChanged = try isEnabled ? host.enable(id) : host.disable(id)
            let word = isEnabled ? "enabled" : "disabled"
            terminal.say(isChanged ? "\(word) \(id)" : "\(id) is already \(word)")
            return 0
        }
    }
}
