// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesCatalog
import EavesManifest
import EavesOutput
import EavesSystem
import EavesTrust

extension Subcommand {
    static let sign = Subcommand(
        name: "sign",
        summary: "sign modules with an SSH key",
        operands: "ID-OR-FILE…",
        completed: [.module],
        options: [.manifest, .key],
        discussion: """
            Runs OpenSSH's ssh-keygen, and writes the signature of FILE.so into FILE.so.sig. Without
            --key, it takes the first of ~/.ssh/id_ed25519, id_ecdsa and id_rsa. If the key is a public
            one, the SSH agent signs with its private half. The manifest says whether signatures are
            required, and whose signatures count. If modules are named by their ids, and the manifest
            requires signatures or has entries of them, their versions become the least ones there.
            """,
        run: .plain { try $0.sign() })
}

extension OptionSpec {
    fileprivate static let key = OptionSpec("key", value: "KEYFILE", help: "the key to sign with")
}

extension SubcommandCall {
    fileprivate func sign() throws {
        let modules = try modules()
        let key = try SigningKey(options.value(.key))
        for entry in modules {
            let signature = try key.sign(entry.file)
            let shown = Path.relative(signature, to: Path.current)
            terminal.say("signed \(entry.id): \(shown)")
        }
        try raiseVersions(modules)
    }

    /// Lets the manifest ask for the versions that were signed, where it asks for older ones or none.
    private func raiseVersions(_ modules: [CatalogEntry]) throws {
        guard let known = try manifest() else { return }
        let raised = modules.filter { Self.asksForLess(known, than: $0) }
        guard !raised.isEmpty else { return }
        try options.editManifest(terminal) { editor in
            var messages: [String] = []
            for entry in raised where Self.asksForLess(editor.manifest, than: entry) {
                guard let version = entry.version else { continue }
                try editor.setLeastVersion(entry.id, version)
                messages.append("\(entry.id): the manifest asks for \(version) or newer now")
            }
            return messages
        }
    }

    private static func asksForLess(_ manifest: Manifest, than entry: CatalogEntry) -> Bool {
        let listed = manifest.entry(entry.id)
        guard let version = entry.version, listed != nil || manifest.signatures == .required else {
            return false
        }
        return listed?.leastVersion.map { $0.isOlder(than: version) } ?? true
    }

    /// The manifest that the ids are from; `nil` if only files are named.
    private func manifest() throws -> Manifest? {
        options.operands.allSatisfy(\.namesFile) ? nil : try options.manifest()
    }

    /// The modules to sign. A module that was built for another host, or for interfaces that are not here,
    /// can be signed; a file that is no module, or that others can change, cannot.
    private func modules() throws -> [CatalogEntry] {
        let operands = ModuleOperands(in: try manifest())
        return try options.operands.map { word throws(CommandError) in
            let entry = try operands.module(word).own
            switch entry.problem {
            case nil, .incompatible, .interfaces: return entry
            default: throw .invalid(entry.diagnostics)
            }
        }
    }
}
