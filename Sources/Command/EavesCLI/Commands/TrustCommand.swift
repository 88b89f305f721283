// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesJSON
import EavesOutput
import EavesSystem
import EavesTrust

extension Subcommand {
    static let trust = Subcommand(
        name: "trust",
        summary: "use the modules of folders that belong to other users",
        operands: "[FOLDER…]",
        completed: [.file],
        options: [.remove, .allUsers, .json],
        discussion: """
            Eaves refuses a manifest that belongs to another user. 'eaves trust FOLDER' says that you trust
            the owner of that folder with it: modules in it then run with your rights. That lasts as long as
            the same user owns it, and does not cover files that third users can change.
            Without an operand, the command lists the folders that are trusted.
            """,
        run: .plain { try $0.trust() })
}

extension OptionSpec {
    fileprivate static let remove = OptionSpec("remove", help: "take the consent back")
    fileprivate static let allUsers = OptionSpec(
        "all-users", help: "change the list of all users of this machine, in /etc/eaves")
}

extension SubcommandCall {
    fileprivate func trust() throws {
        guard !options.operands.isEmpty || !(options.has(.remove) || options.has(.allUsers))
        else {
            throw CommandError.wrongOperands(
                command: Subcommand.trust.name, expected: "FOLDER…", found: options.operands)
        }
        if options.operands.isEmpty {
            let report = try TrustReport()
            return try print(report.json, or: report.text)
        }
        guard let list = options.has(.allUsers) ? .ofAllUsers : ConsentList.ofUser else {
            throw CommandError.noHome
        }
        for folder in options.operands {
            if options.has(.remove) {
                try remove(folder, from: list)
            } else {
                try add(folder, to: list)
            }
        }
    }

    private func add(_ folder: String, to list: ConsentList) throws {
        let path = Path.absolute(folder)
        let status = try FileStatus(path: path)
        guard status.kind == .directory, let real = Files.resolved(path) else {
            throw SystemError(.list, path, .notDirectory)
        }
        let owner = Accounts.name(ofUser: status.owner)
        guard !TrustCheck.own.trusts(status.owner) else {
            terminal.say("\(folder) belongs to \(owner), so it needs no consent")
            return
        }
        let consent = Consent(folder: real, owner: status.owner)
        // Consent is to one user, and such a number stands for several.
        guard consent.check.trusts(consent.owner) else {
            throw TrustError.hidden(TrustPlace(real, .way), folder: real)
        }
        // Consent to a folder that third users can change would be of no use.
        _ = try consent.check.follow(TrustPlace(real, .way))
        try list.update { consents in
            consents.removeAll { $0.folder == real }
            consents.append(consent)
        }
        terminal.say("trusted \(folder), which belongs to \(owner)")
    }

    private func remove(_ folder: String, from list: ConsentList) throws {
        let path = Path.absolute(folder)
        // The folder may be gone by now.
        let names = [path, Files.resolved(path) ?? path]
        var isFound = false
        try list.update { consents in
            let count = consents.count
            consents.removeAll { names.contains($0.folder) }
            isFound = consents.count < count
        }
        guard isFound else {
            throw CommandError.notTrusted(folder, known: try list.consents().map(\.folder))
        }
        terminal.say("\(folder) is no longer trusted")
    }
}

struct TrustReport {
    private let consents: [(consent: Consent, list: ConsentList)]

    init() throws(ConsentError) {
        var found: [(Consent, ConsentList)] = []
        for list in [ConsentList.ofUser, .ofAllUsers].compactMap({ $0 }) {
            found += try list.consents().map { ($0, list) }
        }
        consents = found
    }

    var json: JSON {
        let folders = consents.map { consent, list -> JSON in
            [
                "folder": .string(consent.folder), "owner": .integer(Int(consent.owner)),
                "list": .string(list.path),
            ]
        }
        return ["schema": 1, "folders": .array(folders)]
    }

    var text: String {
        guard !consents.isEmpty else { return "no folder of another user is trusted\n" }
        let rows = consents.map { consent, list in
            [consent.folder, Accounts.name(ofUser: consent.owner), list.path]
        }
        return Table(["FOLDER", "OWNER", "LIST"], rows: rows).text
    }
}
