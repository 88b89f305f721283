// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesDeclaration
import EavesELF
import EavesSystem
package import EavesTrust
import Synchronization

/// The catalog's table: from the identity of each module's file to what the file said when it was last read.
///
/// Its bytes are a head, a row of fixed size for each file, the keys, and what a ``TableCoder`` has written:
/// a record for each row, and the directories. A record is decoded when it is asked for, since a launch needs few of
/// ten thousand. Only the program that wrote a table reads it, so rows are Swift values as they lie in memory. The
/// checksum has shown that the bytes are as they were written; every place in them is checked all the same.
struct CatalogTable: Sendable {
    struct Head: BitwiseCopyable {
        /// The text `eavesCat` plus the format's version. Raise it with every change here.
        static let magic: UInt64 = 0x7461_4373_6576_6165 &+ 11
        /// The place after ``checksum``, in bytes.
        static let checksumEnd = 24

        var magic = Head.magic
        /// The size of the whole table in bytes.
        var size: UInt64 = 0
        /// The sum of all bytes behind this member.
        var checksum: UInt64 = 0
        /// The program that read the modules. Another program may read them differently.
        var program: FileIdentity
        var fileCount: UInt64 = 0
        var keyCount: UInt64 = 0
        /// The place of the directories, in bytes.
        var directories: UInt64 = 0
    }

    /// A `.so` file as it was when it was read.
    struct FileRow: BitwiseCopyable {
        /// `FileIdentity.none` if the content is not kept: the file does not hold a module, or it changed so recently that it
        /// could change again unseen.
        var identity = FileIdentity.none
        var owner: UInt32 = 0
        var group: UInt32 = 0
        var mode: UInt32 = 0
        /// The number of the kind that the directory's listing gave.
        var kind: UInt32
        /// The place of the ``TableRecord``, in bytes.
        var record: UInt64

        fileprivate var status: FileStatus {
            FileStatus(
                kind: .file, device: identity.device, inode: identity.inode,
                size: Int(identity.size), modified: identity.modified, changed: identity.changed,
                owner: owner, group: group, mode: mode)
        }
    }

    /// Leads from a ``CatalogKey`` to the number of a file.
    struct KeyRow: BitwiseCopyable {
        var hash: UInt32
        var file: UInt32
    }

    struct Directory: Sendable {
        /// An absolute path; empty for the files that the manifest lists by their paths.
        var path = ""
        /// `FileIdentity.none` if the directory has to be listed again.
        var identity = FileIdentity.none
        /// The numbers of its files, which are sorted by the bytes of their names.
        var files = 0..<0
        /// Whether the table has the content of every one of the files.
        var isComplete = true
        var folders: [FolderState] = []
    }

    private let bytes: [UInt8]
    let head: Head
    private(set) var directories: [Directory] = []

    /// - Returns: `nil` if another program wrote the bytes, or they were not written as they are.
    init?(_ bytes: [UInt8], program: FileIdentity) {
        self.bytes = bytes
        guard bytes.count >= MemoryLayout<Head>.size else { return nil }
        // SAFETY: heads consist of integers, for which any bits are valid, and the span checks bounds.
        head = bytes.span.bytes.unsafeLoadUnaligned(as: Head.self)
        guard head.magic == Head.magic, head.size == UInt64(bytes.count),
            head.checksum == Self.checksum(of: bytes), head.program == program,
            head.fileCount <= bytes.count, head.keyCount <= bytes.count,
            Self.recordStart(head) <= bytes.count, head.directories <= bytes.count
        else { return nil }
        var coder = TableCoder(reading: bytes, at: Int(head.directories))
        coder.code(&directories, Directory()) { $0.code(&$1) }
        guard coder.isWhole, directories.allSatisfy({ $0.files.upperBound <= head.fileCount })
        else { return nil }
    }

    fileprivate static func recordStart(_ head: Head) -> Int {
        MemoryLayout<Head>.size + Int(head.fileCount) * MemoryLayout<FileRow>.stride
            + Int(head.keyCount) * MemoryLayout<KeyRow>.stride
    }

    /// Returns a sum that protects against accidents. The file's owner and permissions protect against other users.
    static func checksum(of bytes: [UInt8]) -> UInt64 {
        EavesSystem.checksum(of: bytes.span.extracting(Head.checksumEnd...))
    }

    // MARK: Looking up

    func directory(_ path: String) -> Directory? { directories.first { $0.path == path } }

    private func row<Row: BitwiseCopyable>(_ number: Int, after start: Int) -> Row {
        // SAFETY: rows consist of integers, for which any bits are valid, and the span checks bounds.
        bytes.span.bytes.unsafeLoadUnaligned(
            fromByteOffset: start + number * MemoryLayout<Row>.stride, as: Row.self)
    }

    func file(_ number: Int) -> FileRow? {
        guard number >= 0, number < head.fileCount else { return nil }
        return row(number, after: MemoryLayout<Head>.size) as FileRow
    }

    private func key(_ number: Int) -> KeyRow {
        let start = MemoryLayout<Head>.size + Int(head.fileCount) * MemoryLayout<FileRow>.stride
        return row(number, after: start)
    }

    /// The numbers of the files that a key leads to. Equal hashes of other keys may add files.
    func files(_ key: CatalogKey) -> [Int] {
        var (low, high) = (0, Int(head.keyCount))
        while low < high {
            let middle = (low + high) / 2
            if self.key(middle).hash < key.hash { low = middle + 1 } else { high = middle }
        }
        var files: [Int] = []
        while low < head.keyCount, self.key(low).hash == key.hash {
            files.append(Int(self.key(low).file))
            low += 1
        }
        return files
    }

    func name(_ row: FileRow) -> String {
        var (coder, name) = (TableCoder(reading: bytes, at: Int(clamping: row.record)), "")
        coder.code(&name)
        return name
    }

    /// The content of a file when it was read; `nil` if the table does not have it.
    func content(_ row: FileRow) -> ModuleContent? {
        var coder = TableCoder(reading: bytes, at: Int(clamping: row.record))
        var record = TableRecord()
        coder.code(&record)
        guard coder.isWhole, let kept = record.kept else { return nil }
        return ModuleContent(
            status: row.status,
            machine: ELFMachine(rawValue: UInt16(truncatingIfNeeded: kept.machine)),
            note: kept.note, protocols: kept.protocols, libraries: kept.libraries)
    }

    /// Whether the table has the content of a file that has not changed since: one look at the file's status.
    ///
    /// - Parameter folder: The open directory of the file.
    func isCurrent(_ number: Int, in folder: borrowing OpenFolder) -> Bool {
        guard let row = file(number), row.identity != .none,
            let status = folder.status(of: name(row)), status.kind == .file
        else { return false }
        return FileIdentity(status) == row.identity
    }
}

/// A key by which modules are looked up: a hash that is the same in every process.
struct CatalogKey: Hashable, Sendable {
    /// Two keys may have the same hash, so a look-up compares the modules that it finds.
    let hash: UInt32

    static func id(_ id: String) -> CatalogKey { CatalogKey("i", id) }
    /// By the file's name in its directory.
    static func file(_ name: String) -> CatalogKey { CatalogKey("n", name) }
    static func feature(_ name: String) -> CatalogKey { CatalogKey("f", name) }
    /// A name that is qualified has the key of the one that is not.
    static func service(_ name: String) -> CatalogKey { CatalogKey("s", ServiceName.word(name)) }
    /// By the Swift module of an interface module.
    static func swiftModule(_ name: String) -> CatalogKey { CatalogKey("m", name) }

    /// All keys that lead to a module, except its file's name.
    static func all(of declaration: ModuleDeclaration) -> [CatalogKey] {
        [.id(declaration.id)] + declaration.features.map { .feature($0.name) }
            + declaration.provides.map { .service($0.service) }
            + (declaration.interface?.modules.map { .swiftModule($0) } ?? [])
    }

    private init(_ kind: Unicode.Scalar, _ text: String) {
        var whole = FNV1a()
        whole.add(UInt8(ascii: kind))
        whole.add(text)
        hash = UInt32(truncatingIfNeeded: whole.hash ^ (whole.hash >> 32))
    }
}

/// The catalog's table on the disk: the file `catalog` in the store.
///
/// Without a table, or with one that is damaged, foreign or not writable, a command reads the modules themselves and
/// finds the same.
package struct TableFile: Sendable {
    /// No catalog needs more; Eaves wrote no larger file. In bytes.
    private static let maximumSize = 256 << 20

    private static let name = "catalog"

    private let store: Store
    private var program: FileIdentity

    /// - Parameter store: The folder that holds the table.
    /// - Returns: `nil` where the running program cannot be identified.
    package init?(in store: Store) {
        guard let program = try? FileStatus(path: "/proc/self/exe") else { return nil }
        self.store = store
        self.program = FileIdentity(program)
        self.program.modified ^= UserNamespace.current.sum
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
        status.kind == .file && !status.isWritableByOthers && TrustCheck.own.trusts(status.owner)
    }

    /// Writes what a survey saw for later runs. If the file cannot be written, they survey again.
    ///
    /// - Parameter start: A time before the survey looked at any file, in nanoseconds since 1970.
    func write(_ survey: Survey, since start: Int64) {
        guard !store.isInMemory, let folder = try? store.make() else { return }
        var writer = TableWriter(start: start)
        writer.add(survey.listed, of: CatalogTable.Directory(path: Survey.listedPath), survey)
        for directory in survey.directories {
            writer.add(directory.files, of: directory.state(since: start), survey)
        }
        // Two processes that write at the same time each leave a whole table. The file is not synchronised with the
        // disk: after a power cut its checksum is wrong, and that is all. Without a table, later runs survey again.
        try? folder.replace(Self.name, with: writer.bytes(program), mode: 0o600, lasts: false)
    }
}

/// The files of a directory whose listing is as the table knows it. Each file is looked at when it is first asked for;
/// changes of it after that do not change the answer.
///
/// Safe from any thread.
final class DeferredFiles: Sendable {
    let files: Range<Int>
    private let folder: OpenFolder
    private let table: CatalogTable
    /// Whether the files that were asked for are as the table knows them, by their numbers.
    private let looks = Mutex<[Int: Bool]>([:])

    init(_ files: Range<Int>, in folder: consuming OpenFolder, _ table: CatalogTable) {
        self.files = files
        self.folder = folder
        self.table = table
    }

    /// Whether a file that was asked for is not as the table knows it.
    var isOutdated: Bool { looks.withLock { $0.values.contains(false) } }

    /// Returns the selected files, in the order of their names, without those that are not as the table knows them.
    func looked(at selection: Set<Int>) -> [SurveyedFile] {
        looks.withLock { looks in
            selection.filter(files.contains).sorted().filter { number in
                if let known = looks[number] { return known }
                let isSame = table.isCurrent(number, in: folder)
                looks[number] = isSame
                return isSame
            }.map(SurveyedFile.unchanged)
        }
    }
}

/// Makes the bytes of a table from what a survey saw.
private struct TableWriter {
    let start: Int64
    var files: [CatalogTable.FileRow] = []
    var keys: [CatalogTable.KeyRow] = []
    var directories: [CatalogTable.Directory] = []
    var records = TableCoder()

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
        var head = CatalogTable.Head(program: program)
        (head.fileCount, head.keyCount) = (UInt64(files.count), UInt64(keys.count))
        let start = UInt64(CatalogTable.recordStart(head))
        // So far, the places of records count from the first of them.
        for index in files.indices { files[index].record += start }
        head.directories = start + UInt64(records.bytes.count)
        records.code(&directories, CatalogTable.Directory()) { $0.code(&$1) }
        head.size = start + UInt64(records.bytes.count)
        keys.sort { ($0.hash, $0.file) < ($1.hash, $1.file) }
        let content =
            files.withUnsafeBytes(Array.init) + keys.withUnsafeBytes(Array.init) + records.bytes
        head.checksum = CatalogTable.checksum(of: withUnsafeBytes(of: head, Array.init) + content)
        return withUnsafeBytes(of: head, Array.init) + content
    }
}
