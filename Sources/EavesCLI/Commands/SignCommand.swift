// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesTrust
import EavesCatalog
import EavesHost
import EavesManifest
import EavesSystem

/// `eaves sign ID-OR-FILE…`
struct SignCommand: ImmediateSubcommand {
    static let name = "sign"
    static let summary = "sign modules with an SSH key"
    static let operands = "ID-OR-FILE…"
    static let operandCount = 1...Int.max
    static let options: [OptionSpec] = [.manifest, key]
    static let discussion = """
        Writes the signature of FILE.so into FILE.so.sig, by OpenSSH's ssh-keygen. Without --key,
        the first one of ~/.ssh/id_ed25519, id_ecdsa and id_rsa is taken. A public key means the
        private one that the SSH agent has. The manifest says whether signatures are required, and
        whose count.
        """

    private static let key = OptionSpec("key", value: "KEYFILE", help: "the key to sign with")

    private let options: ParsedOptions

    init(_ options: ParsedOptions) {
        self.options = options
    }

    func run(_ terminal: Terminal) throws -> Int32 {
        let key = try SigningKey(options.value(Self.key))
        for entry in try options.operands.map(entry) {
            let signature = try key.sign(entry.file)
            terminal.say("signed \(entry.id): \(Path.relative(signature, to: Path.current))")
        }
        return 0
    }

    /// What is no module gets no signature. One for another host does: that is no fault of it.
    private func entry(_ word: String) throws -> CatalogEntry {
        let entry: CatalogEntry
        if word.namesFile {
            entry = Catalog.inspect(file: word, for: options.manifestFolder, profile: .current)
        } else {
            let catalog = Catalog(manifest: try options.manifest(), profile: .current)
            guard let found = catalog.entry(word) else {
                throw LookupFault.fileOrModule(word, known: catalog.entries.map(\.id))
            }
            entry = found
        }
        switch entry.problem {
        case nil, .incompatible: return entry
        default: throw InspectFault(diagnostics: entry.diagnostics)
        }
    }
}
