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
    static let options: [OptionSpec] = [.manifest]
    static let discussion = """
        Removes its entry and the bindings to it. Its file stays where it is. A module that is found
        in one of the manifest's directories has no entry to remove: delete its file, or disable it.
        """

    private let options: ParsedOptions

    init(_ options: ParsedOptions) {
        self.options = options
    }

    func run(_ terminal: Terminal) throws -> Int32 {
        let manifest = try options.manifest()
        let id = options.operands[0]
        guard manifest.entry(id) != nil else {
            let found = try Catalog(manifest: manifest, profile: .current).module(id)
            throw CommandError.notListed(id, path: found.path)
        }
        let unbound = manifest.bindings.filter { $0.module == id }.map(\.service)
        var editor = try ManifestEditor(manifest.path)
        try editor.remove(id)
        try editor.save()
        terminal.say("removed \(id)")
        for service in unbound { terminal.say("\(service) is bound to no module now") }
        return 0
    }
}
