// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesDeclaration
import EavesSystem

/// Looks at files with the table at hand: opens no file that has not changed.
struct FileObserver {
    let table: CatalogTable?
    /// A time before the first look, in nanoseconds since 1970.
    let now: Int64
    /// Whether every file is looked at, also in a directory that the table knows as it is.
    let looksAtAll: Bool
    /// Whether a built file may stand for its sources. A file that the manifest lists may have been built from any of them.
    let trustsBuilds: Bool
    /// Whether a new table would know more than this one, or has something to forget.
    private(set) var isNews = false
    /// The number of files that had to be read.
    private(set) var readCount = 0

    init(table: CatalogTable?, now: Int64, looksAtAll: Bool, trustsBuilds: Bool) {
        self.table = table
        self.now = now
        self.looksAtAll = looksAtAll
        self.trustsBuilds = trustsBuilds
    }

    mutating func noteNews() { isNews = true }

    /// Looks at the files of a directory that has not changed.
    mutating func look(_ known: Range<Int>, in folder: borrowing OpenFolder) -> [SurveyedFile] {
        var seen: [SurveyedFile] = []
        seen.reserveCapacity(known.count)
        for number in known {
            guard let table, let row = table.file(number) else { continue }
            let kind = FileStatus.Kind(number: row.kind) ?? .unknown
            seen.append(
                table.isCurrent(number, in: folder)
                    ? .unchanged(number)
                    : read(
                        Folder.Entry(name: table.name(row), kind: kind), in: folder, insteadOf: row)
            )
        }
        return seen
    }

    /// Looks at the files of a directory that was listed just now.
    ///
    /// - Parameter directory: The directory as the table knows it.
    mutating func look(
        _ entries: [Folder.Entry], in folder: borrowing OpenFolder,
        _ directory: CatalogTable.Directory?
    ) -> [SurveyedFile] {
        var known: [String: Int] = [:]
        for number in directory?.files ?? 0..<0 {
            if let table, let row = table.file(number) { known[table.name(row)] = number }
        }
        var seen: [SurveyedFile] = []
        seen.reserveCapacity(entries.count)
        for entry in entries {
            let number = known.removeValue(forKey: entry.name)
            seen.append(look(entry, knownAs: number, in: folder))
        }
        if !known.isEmpty { isNews = true }
        return seen
    }

    /// Looks at one file.
    ///
    /// - Parameter number: The number that the file may have in the table.
    mutating func look(
        _ entry: Folder.Entry, knownAs number: Int?, in folder: borrowing OpenFolder
    ) -> SurveyedFile {
        guard let table, let number, let row = table.file(number) else {
            return read(entry, in: folder, insteadOf: nil)
        }
        // Swift takes two names for equal that differ in how their letters are composed; files do not.
        let isSame = table.name(row).utf8.elementsEqual(entry.name.utf8)
        if isSame, row.kind == entry.kind.number, table.isCurrent(number, in: folder) {
            return .unchanged(number)
        }
        return read(entry, in: folder, insteadOf: row)
    }

    private mutating func read(
        _ entry: Folder.Entry, in folder: borrowing OpenFolder,
        insteadOf row: CatalogTable.FileRow?
    ) -> SurveyedFile {
        let content = ModuleContent(entry, in: folder)
        readCount += 1
        let wasKept = row.map { $0.identity != .none } ?? false
        if wasKept || content.canBeKept(since: now) { isNews = true }
        return .read(name: entry.name, kind: entry.kind, content)
    }
}
