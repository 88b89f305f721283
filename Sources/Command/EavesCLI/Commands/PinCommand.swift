// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesCatalog
import EavesDeclaration
import EavesManifest
import EavesModules
import EavesOutput
import EavesSystem
import EavesTrust

extension Subcommand {
    static let pin = Subcommand(
        name: "pin",
        summary: "load modules only while their bytes stay as they are now",
        operands: "[ID…]",
        completed: [.module],
        options: [.manifest, .all, .remove],
        discussion: """
            Writes the SHA-256 of each module's file into the manifest, in one step, and its version as the
            least one. From then on, the host loads the module only while its file has that SHA-256. A
            module that is built again has another one.
            """,
        run: .plain { try $0.pin() })
}

extension OptionSpec {
    fileprivate static let all = OptionSpec("all", help: "all modules that could be loaded now")
    fileprivate static let remove = OptionSpec("remove", help: "remove the pins")
}

extension SubcommandCall {
    fileprivate func pin() throws {
        guard options.operands.isEmpty == options.has(.all) else {
            throw CommandError.wrongOperands(
                command: Subcommand.pin.name, expected: "ids of modules, or '--all'",
                found: options.operands,
                fix: "name the modules, as 'eaves list' shows them, or write '--all'")
        }
        try options.editManifest(terminal) { editor in
            let catalog = Catalog(manifest: editor.manifest, profile: .current)
            var messages: [String] = []
            for id in try ids(editor.manifest, catalog) {
                let digest = options.has(.remove) ? nil : try digest(of: id, in: catalog)
                let known = editor.manifest.entry(id)
                let isChange = known?.sha256 != digest
                let version = digest.flatMap { _ in catalog.entry(id)?.own.version }
                try editor.pin(id, to: digest, leastVersion: version)
                var message = Self.message(id, digest, isChange)
                // Going back is done on purpose, and is said.
                if isChange, let version, let least = known?.leastVersion,
                    version.isOlder(than: least)
                {
                    message += ", version \(version), which is older than \(least)"
                }
                messages.append(message)
            }
            guard messages.isEmpty else { return messages }
            return [
                options.has(.remove) ? "no module is pinned" : "no module could be loaded now"
            ]
        }
    }

    private static func message(_ id: String, _ digest: String?, _ isChange: Bool) -> String {
        if let digest {
            return isChange ? "pinned \(id) to \(digest)" : "\(id) is already pinned"
        }
        return isChange ? "\(id) is no longer pinned" : "\(id) is not pinned"
    }

    private func ids(
        _ manifest: Manifest, _ catalog: Catalog
    ) throws -> [String] {
        if options.has(.all) {
            if options.has(.remove) {
                return manifest.modules.filter { $0.sha256 != nil }.map(\.id)
            }
            let entries = catalog.entries.map(\.own)
            entries.diagnostics.forEach(terminal.warn)
            return entries.filter { $0.state == .ready }.map(\.id)
        }
        for id in options.operands where manifest.entry(id) == nil {
            _ = try catalog.module(id)
        }
        return options.operands
    }

    /// The digest to pin a module to. A module that the host would not load is not pinned, above all
    /// not one whose file others can change.
    private func digest(of id: String, in catalog: Catalog) throws -> String? {
        guard let entry = catalog.entry(id)?.own else { return nil }
        guard entry.problem == nil else { throw CommandError.invalid(entry.diagnostics) }
        return try entry.digest()
    }
}

extension CatalogEntry {
    var version: ModuleVersion? { declaration.map { ModuleVersion($0.version) } }

    func digest() throws(SystemError) -> String {
        try SHA256.digest(of: OpenFile(reading: file)).hex
    }
}
