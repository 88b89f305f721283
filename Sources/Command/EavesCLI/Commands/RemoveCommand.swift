// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesCatalog
import EavesHost
import EavesManifest

/// `eaves remove ID`
struct RemoveCommand: SynchronousSubcommand {
    static let name = "remove"
    static let summary = "remove a module from the manifest"
    static let operands = "ID"
    static let operandCount = 1...1
    static let completed: [CompletedWord] = [.module]
    static let options: [OptionSpec] = [.manifest]
    static let discussion = """
        Removes its entry, with its settings, the bindings to it, and its weights in others.
        'eaves rollback' puts them back. Its file stays where it is. A module that is found in one of
        the manifest's directories has no entry to remove: delete its file, or disable it.
        """

    private let options: ParsedOptions

    init(_ options: ParsedOptions) {
        self.options = options
    }

    func run(_ terminal: Terminal) throws -> Int32 {
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
