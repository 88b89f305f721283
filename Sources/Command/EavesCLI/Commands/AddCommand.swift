// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesCatalog
import EavesDeclaration
import EavesDiagnostics
import EavesHost
import EavesManifest
import EavesModules
import EavesOutput
import EavesSystem
import EavesTrust

extension Subcommand {
    static let add = Subcommand(
        name: "add",
        summary: "add a module's file to the manifest",
        operands: "FILE",
        completed: [.file],
        options: [HostVerdict.option, .manifest, .pin],
        discussion: """
            For a file outside of the manifest's directories: a file inside them is found without this.
            The file is checked first, without running it, and stays where it is. The manifest gets its
            path relative to the manifest, so that both can be moved together. With '--wait', the command
            ends when running hosts have taken it on, and fails as they do.
            """,
        run: .plain { try $0.add() })
}

extension OptionSpec {
    fileprivate static let pin = OptionSpec("pin", help: "also pin it, as 'eaves pin' does")
}

extension SubcommandCall {
    fileprivate func add() throws {
        try HostVerdict(options).after(options.manifest(), [], terminal) { try edit() }
    }

    private func edit() throws {
        try options.editManifest(terminal) { editor in
            let manifest = editor.manifest
            let profile = HostProfile.current.allowing(compilers: manifest.compilers)
            let entry = Catalog.inspect(
                file: options.operands[0], manifest.trust, profile: profile)
            guard entry.problem == nil else {
                throw CommandError.invalid(entry.diagnostics)
            }
            let digest = options.has(.pin) ? try entry.digest() : nil
            let library = manifest.library(for: Path.absolute(options.operands[0]))
            let known = Catalog(manifest: manifest, profile: .current).entry(entry.id)
            if let known, isUsed(known, library, in: manifest) {
                if let digest {
                    try editor.pin(entry.id, to: digest, leastVersion: entry.version)
                }
                return [
                    editor.isChanged
                        ? "pinned \(entry.id) to \(digest ?? "")"
                        : "\(entry.id) is already known: \(library)"
                ]
            }
            try editor.add(entry.id, library: library, sha256: digest)
            if digest != nil, let version = entry.version {
                try editor.setLeastVersion(entry.id, version)
            }
            return Self.messages(entry, digest, inPlaceOf: known, manifest)
        }
    }

    /// The words for a file that was added, and for the file whose place it takes, if there is one.
    private static func messages(
        _ entry: CatalogEntry, _ digest: String?, inPlaceOf known: CatalogEntry?,
        _ manifest: Manifest
    ) -> [String] {
        let id = entry.id
        var text = "added \(id)" + (entry.declaration.map { " " + $0.version } ?? "")
        if let known, known.status != nil, known.file != entry.file {
            text += ", in the place of \(known.path)"
        }
        if let digest {
            text += ", pinned to \(digest)"
        } else if let pin = manifest.entry(id)?.sha256 {
            text += ", no longer pinned to \(pin)"
        }
        guard manifest.entry(id)?.isEnabled == false else { return [text] }
        return [text, "\(id) is disabled: 'eaves enable \(id)' switches it on"]
    }

    /// Whether the host uses the file already. It refuses a link that leads out of the directories,
    /// and an entry in the manifest is what allows that link.
    private func isUsed(_ known: CatalogEntry, _ library: String, in manifest: Manifest) -> Bool {
        if case .untrusted(.escapes) = known.problem { return false }
        return known.file == Path.absolute(library, from: manifest.directory)
    }
}

extension Subcommand {
    static let remove = Subcommand(
        name: "remove",
        summary: "remove a module from the manifest",
        operands: "ID",
        completed: [.module],
        options: [.manifest],
        discussion: """
            Removes its entry, with its settings, the bindings to it, and its weights in others.
            'eaves rollback' puts them back. Its file stays where it is. A module that is found in one of
            the manifest's directories has no entry to remove: delete its file, or disable it.
            """,
        run: .plain { try $0.remove() })
}

extension SubcommandCall {
    fileprivate func remove() throws {
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

extension Subcommand {
    static let enable = switching(
        true, "enable", "switch a module on",
        """
        Writes that into the manifest, in one step. With '--wait', the command ends when running hosts
        have taken it on, and fails as they do.
        """)

    static let disable = switching(
        false, "disable", "switch a module off",
        """
        Writes that into the manifest, in one step. A module that is off provides nothing and is
        never loaded. With '--wait', the command ends when running hosts have taken it on, and fails as
        they do.
        """)

    private static func switching(
        _ isEnabled: Bool, _ name: String, _ summary: String, _ discussion: String
    ) -> Subcommand {
        Subcommand(
            name: name, summary: summary, operands: "ID", completed: [.module],
            options: [HostVerdict.option, .manifest], changesManifest: true,
            discussion: discussion, run: .plain { try $0.setEnabled(isEnabled) })
    }
}

extension SubcommandCall {
    fileprivate func setEnabled(_ isEnabled: Bool) throws {
        let (id, manifest) = (options.operands[0], try options.manifest())
        try HostVerdict(options).after(manifest, [id], terminal) {
            let host = try Host(manifest: manifest)
            let isChanged = try isEnabled ? host.enable(id) : host.disable(id)
            let word = isEnabled ? "enabled" : "disabled"
            terminal.say(isChanged ? "\(word) \(id)" : "\(id) is already \(word)")
            if isChanged, !isEnabled { try warn(ofNeedsFor: id, manifest) }
        }
    }

    /// Warns if modules need one that was switched off, and nothing has taken its place.
    private func warn(ofNeedsFor id: String, _ manifest: Manifest) throws {
        let before = Catalog(manifest: manifest, profile: .current)
        let after = Catalog(manifest: try options.manifest(), profile: .current)
        let others = before.entries.filter { $0.id != id && $0.isEnabled }
        var (lost, direct): (Set<String>, Set<String>) = ([], [])
        for entry in others {
            guard let declaration = entry.declaration else { continue }
            let missing = declaration.requires.filter { service in
                let service = Capability.service(service, name: nil)
                let provider = try? before.provider(of: service)
                return provider?.id == id && (try? after.provider(of: service)) == nil
            }
            lost.formUnion(missing.map { Capability.service($0, name: nil).word })
            let isInterface = declaration.interfaces.contains { $0.id == id }
            if isInterface || !missing.isEmpty { direct.insert(entry.id) }
        }
        let ids = others.filter { !before.needs(of: $0).ids.isDisjoint(with: direct) }.map(\.id)
        guard !ids.isEmpty else { return }
        let bind = lost.min().map { ", or bind another: 'eaves swap \($0) MODULE'" }
        terminal.warn(
            Diagnostic(
                (lost.isEmpty
                    ? "no types of '\(id)'" : "no provider for \(lost.sorted().abridged(by: ", "))")
                    + ": needed by \(ids.abridged(by: ", "))",
                fix: "'eaves enable \(id)'" + (bind ?? ""), code: .noProvider))
    }
}
