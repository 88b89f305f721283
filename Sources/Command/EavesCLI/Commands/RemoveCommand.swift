// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesCatalog
import EavesHost
import EavesManifest
import EavesModules

extension Subcommand {
    /// `eaves remove ID`
    static let remove = Subcommand(
        name: "remove",
        summary: "remove a module from the manifest",
        operands: "ID",
        operandCount: 1...1,
        completed: [.module],
        options: [.manifest],
        discussion: """
            Removes its entry, with its settings, the bindings to it, and its weights in others.
            'eaves rollback' puts them back. Its file stays where it is. A module that is found in one of
            the manifest's directories has no entry to remove: delete its file, or disable it.
            """,
        run: .synchronous { try $0.remove() })
}

extension SubcommandCall {
    fileprivate func remove() throws -> Int32 {
        try options.editManifest(terminal) { editor in
            let id = options.operands[0]
            guard editor.manifest.entry(id) != nil else {
                let found = try Catalog(manifest: editor.manifest, profile: .current).module(id)
                throw CommandError.notListed(id, path: found.path)
            }
            let removal = try editor.remove(id)
            return ["removed \(id)"]
                + (removal?.parts ?? []).compactMap { part in
                    part.service.map { service in
                        part.bindingAfter.map { "\(service) is shared by \($0.words) now" }
                            ?? "\(service) is bound to no module now"
                    }
                }
        }
    }
}
