// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesTrust
import EavesCatalog
import EavesHost
import EavesJSON
import EavesManifest
import EavesSystem

/// `eaves sign ID-OR-FILE…`
struct SignCommand: SynchronousSubcommand {
    static let name = "sign"
    static let summary = "sign modules with an SSH key"
    static let operands = "ID-OR-FILE…"
    static let operandCount = 1...Int.max
    static let options: [OptionSpec] = [.manifest, key]
    static let discussion = """
        Runs OpenSSH's ssh-keygen, and writes the signature of FILE.so into FILE.so.sig. Without
        --key, it takes the first of ~/.ssh/id_ed25519, id_ecdsa and id_rsa. If the key is a public
        one, the SSH agent signs with its private half. The manifest says whether signatures are
        required, and whose signatures count.
        """

    private static let key = OptionSpec("key", value: "KEYFILE", help: "the key to sign with")

    private let options: ParsedOptions

    init(_ options: ParsedOptions) {
        self.options = options
    }

    func run(_ terminal: Terminal) throws -> Int32 {
        let modules = try modules()
        let key = try SigningKey(options.value(Self.key))
        for entry in modules {
            let signature = try key.sign(entry.file)
            let shown = Path.relative(signature, to: Path.current)
            terminal.say("signed \(entry.id): \(shown)")
        }
        return 0
    }

    /// The modules to sign. A module that was built for another host can be signed; a file that is
    /// no module, or that others can change, cannot.
    private func modules() throws -> [CatalogEntry] {
        let namesIDs = !options.operands.allSatisfy(\.namesFile)
        let operands = ModuleOperands(in: namesIDs ? try options.manifest() : nil)
        return try options.operands.map { word throws(CommandError) in
            let entry = try operands.module(word)
            switch entry.problem {
            case nil, .incompatible: return entry
            default: throw .unusableModule(entry.diagnostics)
            }
        }
    }
}
