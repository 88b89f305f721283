// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesCatalog
import EavesDeclaration
import EavesHost
import EavesJSON
import EavesManifest
import EavesModules
import EavesOutput
import EavesQuarantine
import EavesSystem

extension Subcommand {
    static let swap = Subcommand(
        name: "swap",
        summary: "bind a service to another implementation",
        operands: "SERVICE MODULE",
        completed: [.service, .provider],
        options: [.canary, .discardState, HostVerdict.option, .manifest],
        changesManifest: true,
        discussion: """
            Writes the binding into the manifest, in one step. The next launch uses it, and a host that
            stays up takes it on at once. It takes the place of weights, too. The manifest stays as it was
            if the module cannot provide the service, or the host would not load its file. The next launch
            builds a module that was not built yet. 'eaves rollback' undoes it. 'SERVICE#NAME' binds the
            implementation of that name.

            With '--canary', the module that the service is bound to keeps the rest of the calls. A host
            that stays up draws at each call, and takes the share back if the module proves to be bad.
            'eaves swap' without it gives the module all calls.

            With '--wait', the command ends when running hosts have taken the swap on, and fails as they do.

            A host that stays up hands the state of the old module over, and refuses the swap if the new one
            cannot take it on, unless '--discard-state' says that it may be lost.
            """,
        run: .plain { try $0.swap() })
}

extension OptionSpec {
    fileprivate static let canary = OptionSpec(
        "canary", value: "SHARE", help: "let the module have this share of the calls, such as 10%")
    fileprivate static let discardState = OptionSpec(
        "discard-state", help: "give up state that the new module cannot take on")
}

extension SubcommandCall {
    fileprivate func swap() throws {
        let manifest = try options.manifest()
        let (service, module) = (options.operands[0], options.operands[1])
        try HostVerdict(options).after(manifest, options.operands, terminal) {
            let host = try Host(manifest: manifest)
            let discardsState = options.has(.discardState)
            if let share = options.value(.canary) {
                guard !discardsState else { throw CommandError.canaryWithoutState }
                let swap = try host.swap(
                    service, canary: module, share: CanaryShare(share).fraction)
                terminal.say(swap?.message ?? "\(module) has that share of \(service) already")
                return
            }
            let swap = try host.swap(service, to: module, discardingState: discardsState)
            terminal.say(swap?.message ?? "\(service) is already bound to \(module)")
            if discardsState {
                terminal.say(
                    "a running host may lose state that \(module) cannot take on, until the next swap to it "
                        + "without '--discard-state'")
            }
        }
    }
}

extension Subcommand {
    static let rollback = Subcommand(
        name: "rollback",
        summary: "undo the last swaps or removals, or a module's file",
        operands: "[STEPS | MODULE]",
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
        run: .plain { try $0.rollback() })
}

extension SubcommandCall {
    fileprivate func rollback() throws {
        let verdict = try HostVerdict(options)
        let text = options.operands.first ?? "1"
        if let steps = Int(text), steps >= 1 {
            let manifest = try options.manifest()
            return try verdict.after(manifest, [], terminal) {
                try Host(manifest: manifest).rollback(steps).flatMap(\.undoneMessages)
                    .forEach(terminal.say)
            }
        }
        guard text.first?.isLetter == true else { throw CommandError.badSteps(text) }
        if options.has(HostVerdict.option) { throw CommandError.cannotWaitForFile(text) }
        terminal.say(try rollBack(text, of: options.manifest()))
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
    var message: String {
        "\(services[0]): \(wordsBefore) → \(after ?? module)"
            + (reason.map { " (\($0))" } ?? "")
    }

    private var wordsBefore: String { before ?? "no binding" }

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

extension Subcommand {
    static let history = Subcommand(
        name: "history",
        summary: "show the changes that 'rollback' can undo",
        options: [.json, .manifest],
        discussion: """
            Lists the swaps and removals of the manifest, the newest one first: 'eaves rollback 3' undoes the
            first three. Files of modules that are kept out stand among them, without a number:
            'eaves quarantine clear MODULE' lets one in again.
            """,
        run: .plain { try $0.history() })
}

extension SubcommandCall {
    fileprivate func history() throws {
        let host = try Host(manifest: options.manifest())
        let catalog = Catalog(manifest: host.manifest, profile: .current)
        let report = HistoryReport(
            edits: try host.history, files: catalog.entries.compactMap(KeptOutFile.init))
        try print(report.json, or: report.text, isPaged: true)
    }
}

/// A module's file that is kept out now.
struct KeptOutFile {
    let module: String
    let record: QuarantineRecord
    /// The version of the last good file that takes its place; `nil` if there is none.
    let lastGood: String?

    init?(_ entry: CatalogEntry) {
        guard case .quarantined(let record) = entry.own.problem else { return nil }
        module = entry.id
        self.record = record
        lastGood = entry.standIn == nil ? nil : entry.declaration?.version
    }

    fileprivate var words: String {
        "the file of \(module) is kept out"
            + (lastGood.map { ", and the last good one, version \($0), takes its place" } ?? "")
            + " (\(record.reason ?? "it crashed"))"
    }

    fileprivate var json: JSON {
        [
            "module": .string(module), "path": .string(record.path),
            "sha256": .string(record.sha256),
            "time": record.since.map { .integer($0) } ?? .null,
            "reason": .text(record.reason),
            "lastGood": .text(lastGood),
        ]
    }
}

/// The edits of a manifest that can be undone, and the files that are kept out, as the command prints them.
struct HistoryReport {
    /// The newest one first.
    let edits: [ManifestEdit]
    let files: [KeptOutFile]

    var text: String {
        if edits.isEmpty, files.isEmpty { return "no changes to undo\n" }
        var rows = zip(1..., edits).map { number, edit in
            let time = edit.time.map { WallClock.text(of: $0, isLocal: true) }
            return (edit.time, ["\(number)", time ?? "-", edit.words])
        }
        for file in files {
            let time = file.record.since ?? 0
            // Changes of the manifest stay in their order, whatever the clock said.
            let place = rows.firstIndex { $0.0.map { $0 < time } ?? true } ?? rows.endIndex
            rows.insert(
                (time, ["-", WallClock.text(of: time, isLocal: true), file.words]), at: place)
        }
        return Table(["STEPS", "TIME", "CHANGE"], rows: rows.map(\.1)).text
    }

    var json: JSON {
        [
            "schema": 1,
            "changes": .array(zip(1..., edits).map { $1.json(steps: $0) }),
            "files": .array(files.map(\.json)),
        ]
    }
}

extension ManifestEdit {
    fileprivate var words: String {
        switch kind {
        case .swap: message
        case .removal:
            "removed \(module)"
                + (services.isEmpty ? "" : ", which \(services.joined(separator: ", ")) came from")
        }
    }

    fileprivate func json(steps: Int) -> JSON {
        let (part, time) = (parts[0], time.map(JSON.integer) ?? .null)
        return switch kind {
        case .swap:
            [
                "steps": .integer(steps), "time": time, "kind": .string(kind.rawValue),
                "service": .text(part.service), "from": .text(part.bindingBefore?.module),
                "weightsBefore": .text(part.bindingBefore?.weights), "to": .string(module),
                "weightsAfter": .text(part.bindingAfter?.weights), "reason": .text(reason),
            ]
        case .removal:
            [
                "steps": .integer(steps), "time": time, "kind": .string(kind.rawValue),
                "module": .string(module), "services": .texts(services),
            ]
        }
    }
}
