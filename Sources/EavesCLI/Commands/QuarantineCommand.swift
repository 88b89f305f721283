// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesQuarantine
import EavesCatalog
import EavesDiagnostics
import EavesHost
import EavesManifest

/// `eaves quarantine [clear ID…]`
struct QuarantineCommand: ImmediateSubcommand {
    static let name = "quarantine"
    static let summary = "show modules that crashed, or let them in again"
    static let operands = "[clear [ID…]]"
    static let operandCount = 0...Int.max
    static let options: [OptionSpec] = [.json, all, .manifest]
    static let discussion = """
        A module that crashes in 'eaves verify', or three times in a host, is kept out until its
        content changes. 'eaves quarantine clear ID' lets it in as it is.
        """

    private static let all = OptionSpec("all", help: "clear: all of them")

    private let options: ParsedOptions

    init(_ options: ParsedOptions) throws {
        let words = options.operands
        let isClear = words.first == "clear" && options.has(Self.all) == (words.count == 1)
        guard isClear || (words.isEmpty && !options.has(Self.all)) else {
            throw QuarantineUsageFault(found: words)
        }
        self.options = options
    }

    func run(_ terminal: Terminal) throws -> Int32 {
        let manifest = try options.manifest()
        let catalog = Catalog(manifest: manifest, profile: .current)
        guard options.operands.isEmpty else { return try clear(manifest, catalog, terminal) }
        var faults: [QuarantineError] = []
        let quarantine = QuarantineStore(manifest.store).read(&faults)
        let report = QuarantineReport(quarantine, catalog)
        if options.has(.json) {
            try terminal.write(report.json)
        } else {
            try terminal.write(report.text)
        }
        guard faults.isEmpty else { throw InspectFault(diagnostics: faults.flatMap(\.diagnostics)) }
        return 0
    }

    private func clear(
        _ manifest: Manifest, _ catalog: Catalog, _ terminal: Terminal
    ) throws -> Int32 {
        let store = QuarantineStore(manifest.store)
        guard !options.has(Self.all) else {
            let cleared = try store.clear(nil)
            if cleared.isEmpty { terminal.say("nothing is known against any module") }
            for id in cleared.sorted() { terminal.say("cleared \(id)") }
            return 0
        }
        var faults: [QuarantineError] = []
        let known = Set(store.read(&faults).records.map(\.module))
        let ids = options.operands.dropFirst()
        for id in ids where catalog.entry(id) == nil && !known.contains(id) {
            throw LookupFault.module(id, known: catalog.entries.map(\.id) + known)
        }
        let cleared = try store.clear(Set(ids))
        for id in ids {
            terminal.say(
                cleared.contains(id) ? "cleared \(id)" : "nothing is known against \(id)")
        }
        return 0
    }
}
