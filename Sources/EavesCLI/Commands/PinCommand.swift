// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesCatalog
import EavesHost
import EavesManifest

/// `eaves pin [ID…]`
struct PinCommand: ImmediateSubcommand {
    static let name = "pin"
    static let summary = "load the very bytes that modules have now, only"
    static let operands = "[ID…]"
    static let operandCount = 0...Int.max
    static let options: [OptionSpec] = [.manifest, all, remove]
    static let discussion = """
        Writes the SHA-256 of each module's file into the manifest, in one step. From then on the
        module is loaded only while its bytes are those; one that is built again is not.
        """

    private static let all = OptionSpec("all", help: "all modules that could be loaded now")
    private static let remove = OptionSpec("remove", help: "take the pins away again")

    private let options: ParsedOptions

    init(_ options: ParsedOptions) {
        self.options = options
    }

    func run(_ terminal: Terminal) throws -> Int32 {
        guard options.operands.isEmpty == options.has(Self.all) else { throw PinFault() }
        let manifest = try options.manifest()
        let catalog = Catalog(manifest: manifest, profile: .current)
        var editor = try ManifestEditor(manifest.path)
        for id in try ids(manifest, catalog, terminal) {
            let digest = options.has(Self.remove) ? nil : try digest(of: id, in: catalog)
            let isNews = manifest.entry(id)?.sha256 != digest
            try editor.pin(id, to: digest)
            if let digest {
                terminal.say(isNews ? "pinned \(id) to \(digest)" : "\(id) is pinned already")
            } else {
                terminal.say(isNews ? "\(id) is pinned no more" : "\(id) is not pinned")
            }
        }
        try editor.save()
        return 0
    }

    private func ids(
        _ manifest: Manifest, _ catalog: Catalog, _ terminal: Terminal
    ) throws -> [String] {
        if options.has(Self.all) {
            if options.has(Self.remove) {
                return manifest.modules.filter { $0.sha256 != nil }.map(\.id)
            }
            for entry in catalog.entries { entry.diagnostics.forEach(terminal.warn) }
            return catalog.entries.filter { $0.state == .ready }.map(\.id)
        }
        for id in options.operands where catalog.entry(id) == nil && manifest.entry(id) == nil {
            throw LookupFault.module(id, known: catalog.entries.map(\.id))
        }
        return options.operands
    }

    /// What cannot be loaded anyway is not pinned, least of all a file that others can change.
    private func digest(of id: String, in catalog: Catalog) throws -> String? {
        guard let entry = catalog.entry(id) else { return nil }
        guard entry.problem == nil else { throw InspectFault(diagnostics: entry.diagnostics) }
        return try entry.digest()
    }
}
