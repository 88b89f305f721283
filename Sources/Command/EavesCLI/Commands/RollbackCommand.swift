// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesCatalog
import EavesHost
import EavesManifest
import EavesModules
import EavesOutput
import EavesQuarantine
import EavesSystem

extension Subcommand {
    /// `eaves rollback [STEPS | MODULE]`
    static let rollback = Subcommand(
        name: "rollback",
        summary: "undo the last swaps or removals, or a module's file",
        operands: "[STEPS | MODULE]",
        operandCount: 0...1,
        completed: [.module],
        options: [HostVerdict.option, .manifest],
        changesManifest: true,
        discussion: """
            Binds the service of the last 'eaves swap' to what it was bound to before, or puts back what
            the last 'eaves remove' took out of the manifest. A second rollback undoes the change before
            that. With a number, it undoes so many changes at once, as 'eaves history' numbers them; if one
            of them cannot be undone, none is. With '--wait', the command ends when running hosts have taken it
            on, and fails as they do.
            With the id of a module, its file is kept out, and hosts use its last good file instead, also those
            that run: the last one that a running host has replaced, or that has passed its probation. Another
            file is taken again, and so is this one after 'eaves quarantine clear MODULE'.
            """,
        run: .synchronous { try $0.rollback() })
}

extension SubcommandCall {
    fileprivate func rollback() throws -> Int32 {
        let verdict = try HostVerdict(options)
        let text = options.operands.first ?? "1"
        if let steps = Int(text), steps >= 1 {
            let manifest = try options.manifest()
            return try verdict.after(manifest, [], terminal) {
                try Host(manifest: manifest).rollback(steps).flatMap(\.undoneMessages)
                    .forEach(terminal.say)
                return 0
            }
        }
        guard text.first?.isLetter == true else { throw CommandError.badSteps(text) }
        if options.has(HostVerdict.option) { throw CommandError.cannotWaitForFile(text) }
        terminal.say(try rollBack(text, of: options.manifest()))
        return 0
    }

    /// Keeps a module's file out, if its last good file can take the place of it.
    ///
    /// - Returns: A message about the effect.
    private func rollBack(_ id: String, of manifest: Manifest) throws -> String {
        let catalog = Catalog(manifest: manifest, profile: .current)
        let entry = try catalog.module(id)
        let words = { (file: String) in "\(id): the last good file takes its place: \(file)" }
        guard entry.standIn == nil else {
            return words("\(entry.standInWords), since it is kept out")
        }
        let reason = "rolled back by hand"
        let digest = try SHA256.digest(of: OpenFile(reading: entry.file))
        guard let standingIn = catalog.entry(id, keptOutBecause: reason, digest) else {
            throw CommandError.noLastGood(id)
        }
        try QuarantineStore(manifest.store).keepOut(
            entry.suspect, sha256: digest.hex, because: reason, since: WallClock.second)
        return words(standingIn.standInWords)
    }
}

extension ManifestEdit {
    /// The words for a swap.
    var message: String {
        "\(services[0]): \(wordsBefore) → \(after ?? module)"
            + (reason.map { " (\($0))" } ?? "")
    }

    private var wordsBefore: String { before ?? "no binding" }

    /// The words for the edit once it was undone.
    fileprivate var undoneMessages: [String] {
        switch kind {
        case .swap where wasUndone:
            ["\(services[0]): the swap to \(module) was undone already: \(wordsBefore)"]
        case .swap: ["\(services[0]): \(after ?? module) → \(wordsBefore)"]
        case .removal where wasUndone: ["\(module) was put back already"]
        case .removal:
            ["put back \(module)"]
                + parts.compactMap { part in
                    part.service.map { service in
                        part.bindingBefore?.weights.map { "\(service) is shared by \($0) again" }
                            ?? "\(service) is bound to \(module) again"
                    }
                }
        }
    }
}
