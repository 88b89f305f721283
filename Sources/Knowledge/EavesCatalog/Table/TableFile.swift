// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesDeclaration
import EavesELF
import EavesSystem
package import EavesTrust

/// The catalog's table on the disk: the file `catalog` in the store.
///
/// Without a table, or with one that is damaged, foreign or not writable, a command reads the modules themselves and
/// finds the same.
package struct TableFile: Sendable {
    /// No catalog needs more; Eaves wrote no larger file. In bytes.
    private static let maximumSize = 256 << 20

    private static let name = "catalog"

    private let store: Store
    private let program: FileIdentity

    /// - Parameter store: The folder that holds the table.
    /// - Returns: `nil` where the running program cannot be identified.
    package init?(in store: Store) {
        guard let program = try? FileStatus(path: "/proc/self/exe") else { return nil }
        self.store = store
        self.program = FileIdentity(program)
    }

    /// Reads the table that an earlier run left; `nil` if there is none that this program can use.
    func read() -> CatalogTable? {
        guard let folder = try? store.open(), let file = try? folder.file(Self.name),
            let status = try? file.status(), Self.isOwn(status), status.size <= Self.maximumSize,
            let bytes = try? file.bytes(at: 0, count: status.size)
        else { return nil }
        return CatalogTable(bytes, program: program)
    }

    /// Whether only this user or root can have written the file. Another user who could write the table would decide
    /// what Eaves knows of every module.
    private static func isOwn(_ status: FileStatus) -> Bool {
        status.kind == .file && !status.isWritableByOthers && status.isOwnedByTrustedUser
    }

    /// Writes what a survey saw for later runs. If the file cannot be written, they survey again.
    ///
    /// - Parameter start: A time before the survey looked at any file, in nanoseconds since 1970.
    func write(_ survey: Survey, since start: Int64) {
        guard let folder = try? store.make() else { return }
        var writer = TableWriter(start: start)
        writer.add(survey.listed, of: CatalogTable.Directory(path: Survey.listedPath), survey)
        for directory in survey.directories {
            writer.add(directory.files, of: directory.state(since: start), survey)
        }
        // Two processes that write at the same time each leave a whole table. The file is not synchronised
        // with the disk: after a power cut its checksum is wrong, and that is all. Without a table, later
        // runs survey again.
        try? folder.replace(Self.name, with: writer.bytes(program), mode: 0o600, lasts: false)
    }
}

/// Makes the bytes of a table from what a survey saw.
private struct TableWriter {
    let start: Int64
    private var files: [CatalogTable.FileRow] = []
    private var keys: [CatalogTable.KeyRow] = []
    private var directories: [CatalogTable.Directory] = []
    private var records = TableCoder()

    init(start: Int64) {
        self.start = start
    }

    mutating func add(
        _ seen: [SurveyedFile], of directory: CatalogTable.Directory, _ survey: Survey
    ) {
        var directory = directory
        directory.files = files.count..<files.count + seen.count
        for file in seen {
            var record = TableRecord(name: survey.name(file))
            let content = survey.content(file, at: Path.join(directory.path, record.name))
            var row = CatalogTable.FileRow(
                kind: survey.kind(file).number, record: UInt64(records.bytes.count))
            if content.canBeKept(since: start), let status = content.status, let note = content.note
            {
                row.identity = FileIdentity(status)
                (row.owner, row.group, row.mode) = (status.owner, status.group, status.mode)
                record.kept = TableRecord.Kept(
                    machine: Int(content.machine?.rawValue ?? 0), note: note,
                    protocols: content.protocols, libraries: content.libraries)
                let known = Set(CatalogKey.all(of: note.declaration) + [.file(record.name)])
                let number = UInt32(files.count)
                keys += known.map { CatalogTable.KeyRow(hash: $0.hash, file: number) }
            } else {
                directory.isComplete = false
            }
            records.code(&record)
            files.append(row)
        }
        directories.append(directory)
    }

    mutating func bytes(_ program: FileIdentity) -> [UInt8] {
        let place = records.bytes.count
        records.code(&directories, CatalogTable.Directory()) { $0.code(&$1) }
        keys.sort { ($0.hash, $0.file) < ($1.hash, $1.file) }
        return CatalogTable.bytes(
            files, keys, records.bytes, directories: place, program: program)
    }
}
