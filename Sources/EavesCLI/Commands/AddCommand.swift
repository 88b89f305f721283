// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesDeclaration
import EavesTrust
import EavesCatalog
import EavesHost
import EavesManifest
import EavesSystem

/// `eaves add FILE`
struct AddCommand: SynchronousSubcommand {
    static let name = "add"
    static let summary = "add a module's file to the manifest"
    static let operands = "FILE"
    static let operandCount = 1...1
    static let options: [OptionSpec] = [.manifest, pin]
    static let discussion = """
        For a file outside of the manifest's directories: a file inside them is found without this.
        The file is checked first, without running it, and stays where it is.
        """

    private static let pin = OptionSpec("pin", help: "also pin it, as 'eaves pin' does")

    private let options: ParsedOptions

    init(_ options: ParsedOptions) {
        self.options = options
    }

    func run(_ terminal: Terminal) throws -> Int32 {
        let manifest = try options.manifest()
        let file = Path.absolute(options.operands[0])
        let profile = HostProfile.current.allowing(compilers: manifest.compilers)
        let entry = Catalog.inspect(
            file: options.operands[0], manifest.trust, profile: profile)
        guard entry.problem == nil else {
            throw CommandError.unusableModule(entry.diagnostics)
        }
        let digest = options.has(Self.pin) ? try entry.digest() : nil
        let path = Path.relative(file, to: manifest.directory)
        var editor = try ManifestEditor(manifest.path)
        if isUsed(entry, file, in: manifest) {
            if let digest { try editor.pin(entry.id, to: digest) }
            terminal.say(
                editor.isChanged
                    ? "pinned \(entry.id) to \(digest ?? "")"
                    : "\(entry.id) is already known: \(path)")
        } else {
            try editor.add(entry.id, library: path, sha256: digest)
            let pinned = digest.map { ", pinned to \($0)" } ?? ""
            terminal.say("added \(entry.id) \(entry.declaration?.version ?? "")\(pinned)")
        }
        try editor.save()
        return 0
    }

    /// Whether the host uses the file already. It refuses a link that leads out of the directories,
    /// and an entry in the manifest is what allows that link.
    private func isUsed(_ entry: CatalogEntry, _ file: String, in manifest: Manifest) -> Bool {
        guard let known = Catalog(manifest: manifest, profile: .current).entry(entry.id) else {
            return false
        }
        if case .untrusted(.escapes) = known.problem { return false }
        return known.file == file
    }
}
