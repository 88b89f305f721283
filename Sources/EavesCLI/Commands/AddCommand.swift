// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesDeclaration
import EavesTrust
import EavesCatalog
import EavesHost
import EavesManifest
import EavesSystem

/// `eaves add FILE`
struct AddCommand: ImmediateSubcommand {
    static let name = "add"
    static let summary = "list a module's file in the manifest"
    static let operands = "FILE"
    static let operandCount = 1...1
    static let options: [OptionSpec] = [.manifest, pin]
    static let discussion = """
        For a file outside of the manifest's directories; what lies in them is found by itself. The
        file is checked first, without running it, and stays where it is.
        """

    private static let pin = OptionSpec("pin", help: "load these very bytes only, as 'eaves pin'")

    private let options: ParsedOptions

    init(_ options: ParsedOptions) {
        self.options = options
    }

    func run(_ terminal: Terminal) throws -> Int32 {
        let manifest = try options.manifest()
        let file = Path.absolute(options.operands[0])
        let profile = HostProfile.current.allowing(compilers: manifest.compilers)
        let entry = Catalog.inspect(
            file: options.operands[0], for: manifest.directory, profile: profile)
        guard entry.problem == nil else { throw InspectFault(diagnostics: entry.diagnostics) }
        let digest = options.has(Self.pin) ? try entry.digest() : nil
        var editor = try ManifestEditor(manifest.path)
        if isThere(entry, file, in: manifest) {
            if let digest { try editor.pin(entry.id, to: digest) }
            let path = Path.relative(file, to: manifest.directory)
            terminal.say(
                editor.isChanged
                    ? "pinned \(entry.id) to \(digest ?? "")"
                    : "\(entry.id) is there already: \(path)")
        } else {
            let library = Path.relative(file, to: manifest.directory)
            try editor.add(entry.id, library: library, sha256: digest)
            let pinned = digest.map { ", pinned to \($0)" } ?? ""
            terminal.say("added \(entry.id) \(entry.declaration?.version ?? "")\(pinned)")
        }
        try editor.save()
        return 0
    }

    /// Whether the file is used as it is. A link that leads out of the directories is not: to list
    /// it is what makes it good.
    private func isThere(_ entry: CatalogEntry, _ file: String, in manifest: Manifest) -> Bool {
        guard let known = Catalog(manifest: manifest, profile: .current).entry(entry.id) else {
            return false
        }
        if case .untrusted(.escapes) = known.problem { return false }
        return known.file == file
    }
}
