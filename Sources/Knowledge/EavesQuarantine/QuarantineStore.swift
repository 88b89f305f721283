// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

package import EavesDiagnostics
import EavesJSON
package import EavesSystem
package import EavesTrust
import Glibc

/// The quarantine on the disk: a folder in the store, which exists once a module has crashed.
package struct QuarantineStore: Sendable {
    private let store: Store

    /// The name of the quarantine's own folder in the store.
    package static let folder = "quarantine"
    /// The log: a process that crashes adds a line to it.
    package static let log = "crashes.log"
    private static let records = "modules.json"
    /// The log while its crashes are counted.
    private static let taken = log + ".taken"
    private static let damaged = "crashes.damaged.log"

    package init(_ store: Store) {
        self.store = store
    }

    /// The path of the file that says which modules are kept out. It need not exist.
    package var recordsPath: String { path(Self.records) }

    /// The path of one of the quarantine's files, for messages.
    private func path(_ name: String) -> String {
        Path.join(store.path(of: Self.folder), name)
    }

    /// Whether a module has ever crashed.
    package var isThere: Bool {
        do throws(QuarantineError) {
            return try open() != nil
        } catch {
            // Something is there, and reading it says what is wrong.
            return true
        }
    }

    /// The quarantine's own folder. Processes lock it while they change the quarantine.
    func open() throws(QuarantineError) -> OpenFolder? {
        do throws(PlaceError) { return try store.open(Self.folder) } catch { throw .store(error) }
    }

    /// The quarantine's own folder, which is created if it is missing.
    package func make() throws(QuarantineError) -> OpenFolder {
        do throws(PlaceError) { return try store.make(Self.folder) } catch { throw .store(error) }
    }

    /// Reads the quarantine, and counts the crashes in the log.
    ///
    /// - Parameter errors: Receives the problems of the files. A file that cannot be read keeps no module out.
    /// - Returns: `nil` if no module ever crashed.
    package func read(_ errors: inout [QuarantineError]) -> Quarantine? {
        do throws(QuarantineError) {
            guard let folder = try open() else { return nil }
            do throws(QuarantineError) {
                // Twice at most: a process that ended while it counted has left its log, and there may
                // be a new one. The crashes of one are on the disk before the other takes its place.
                for source in [Self.taken, Self.log] where folder.has(source) {
                    try update(in: folder, removing: Self.taken) {
                        quarantine throws(QuarantineError) in
                        if let error = try takeLog(in: folder, into: &quarantine) {
                            errors.append(error)
                        }
                    }
                }
                return try load(in: folder)
            } catch {
                errors.append(error)
                // Where nothing can be written, the records of earlier commands still count.
                return (try? load(in: folder)) ?? Quarantine()
            }
        } catch {
            errors.append(error)
            return Quarantine()
        }
    }

    /// The folders that may know of further crashes, in stores of other users or that this process cannot open.
    package var unread: [String] {
        var others: [String] = []
        let closed = try? store.inEachPlace(Self.folder) { folder, _ in
            let isOwn = (try? folder.status())?.isOwnedByUser == true
            if !isOwn, folder.path != store.path(of: Self.folder) {
                others.append(Path.parent(of: folder.path))
            }
        }
        return others + (closed ?? []).map(\.path)
    }

    /// The crashes in the log that no process has counted yet. Changes nothing.
    package var uncounted: [CrashLogEntry] {
        guard let folder = try? open(), let bytes = try? folder.bytes(of: Self.log) else {
            return []
        }
        return bytes.split(separator: UInt8(ascii: "\n")).compactMap { CrashLogEntry($0) }
    }

    /// Counts a crash in a process of the module's own, which writes no log.
    package func note(
        _ crash: ModuleCrash, of module: SuspectModule, sha256: String
    ) throws(QuarantineError) {
        try update(in: try make()) { quarantine throws(QuarantineError) in
            quarantine.note(crash, of: module.id, module.path, sha256: sha256)
        }
    }

    /// Keeps a module out from now on, with the content that its file has now.
    ///
    /// - Parameters:
    ///   - reason: The act of the module, such as a crash.
    ///   - time: When it did that, in seconds since 1970.
    /// - Returns: `false` if the file cannot be read: then no host can load it either.
    package func keepOut(
        _ module: SuspectModule, because reason: String, since time: Int
    ) throws(QuarantineError) -> Bool {
        try update(in: try make()) { quarantine throws(QuarantineError) in
            guard let content = content(of: module.id, module.file, in: &quarantine) else {
                return false
            }
            quarantine.keepOut(
                module.id, module.path, sha256: content.sha256, since: time, because: reason)
            return true
        }
    }

    /// Lets modules in again, and forgets their crashes, also those in the log.
    ///
    /// - Parameter modules: Their ids; `nil` for all.
    /// - Returns: For each of those that had records, how often it had crashed.
    package func clear(
        _ modules: Set<String>?, _ errors: inout [QuarantineError]
    ) throws(QuarantineError) -> [String: Int] {
        _ = read(&errors)
        guard let folder = try open() else { return [:] }
        return try update(in: folder) { quarantine throws(QuarantineError) in
            quarantine.clear(modules)
        }
    }

    /// Lets modules in that are kept out for the number of their crashes alone, until the next crash of each.
    ///
    /// - Returns: Their ids.
    package func retry() throws(QuarantineError) -> [String] {
        guard let folder = try open() else { return [] }
        return try update(in: folder) { quarantine throws(QuarantineError) in quarantine.retry() }
    }

    /// The record that keeps a module out with the content that its file has now; `nil` if none does.
    package func obstacle(
        to module: SuspectModule, in quarantine: inout Quarantine
    ) -> QuarantineRecord? {
        guard quarantine.keptOut.contains(module.id),
            let content = content(of: module.id, module.file, in: &quarantine),
            let record = quarantine.record(of: module.id, sha256: content.sha256),
            record.since != nil
        else { return nil }
        return record
    }

    /// Keeps the digests of files, so that they need not be hashed again.
    package func remember(_ contents: [String: Quarantine.Content]) throws(QuarantineError) {
        try update(in: try make()) { quarantine throws(QuarantineError) in
            quarantine.contents.merge(contents) { $1 }
        }
    }

    /// Changes the quarantine while no other process can.
    ///
    /// - Parameter source: A file to remove once the change is on the disk.
    func update<Result>(
        in folder: borrowing OpenFolder, removing source: String? = nil,
        _ change: (inout Quarantine) throws(QuarantineError) -> Result
    ) throws(QuarantineError) -> Result {
        try locking(folder) { () throws(QuarantineError) in
            let before = try load(in: folder)
            var quarantine = before
            let result = try change(&quarantine)
            if quarantine != before {
                let text = quarantine.json.text(pretty: true) + "\n"
                try QuarantineError.wrapping(
                    try folder.replace(Self.records, with: Array(text.utf8), mode: 0o600))
            }
            if let source { try QuarantineError.wrapping(try folder.remove(source)) }
            return result
        }
    }

    /// Runs a function while no other process can use the files.
    func locking<Result>(
        _ folder: borrowing OpenFolder, _ body: () throws(QuarantineError) -> Result
    ) throws(QuarantineError) -> Result {
        let lock = try QuarantineError.wrapping(try FileLock(folder))
        let result = try body()
        lock.hold {}
        return result
    }

    /// Reads the file of records, and leaves the log alone.
    private func load(in folder: borrowing OpenFolder) throws(QuarantineError) -> Quarantine {
        let bytes = try QuarantineError.wrapping(try folder.bytes(of: Self.records))
        guard let bytes else { return Quarantine() }
        guard let root = try? JSONNode.parse(bytes), let quarantine = Quarantine(root) else {
            throw .damaged(path(Self.records))
        }
        return quarantine
    }

    /// Counts the crashes in the log. The caller holds the lock.
    ///
    /// The log is renamed before it is read, so that a process that crashes meanwhile starts a new one.
    ///
    /// - Returns: An error if the log has damaged lines; the others are counted.
    private func takeLog(
        in folder: borrowing OpenFolder, into quarantine: inout Quarantine
    ) throws(QuarantineError) -> QuarantineError? {
        // A renamed log that is already there was left by a process that ended while it counted.
        if !folder.has(Self.taken), folder.has(Self.log) {
            try QuarantineError.wrapping(try folder.rename(Self.log, to: Self.taken))
        }
        Self.removeOldReports(in: folder)
        let bytes = try Self.takenBytes(in: folder)
        let entries = bytes.split(separator: UInt8(ascii: "\n")).map { CrashLogEntry($0) }
        let known = entries.isEmpty ? [] : try loadTrials(in: folder)
        var trials = known
        defer { try? save(trials, over: known, in: folder) }
        for entry in entries {
            guard let entry, !note(entry, of: &trials, in: &quarantine) else { continue }
            let now = content(of: entry.module, entry.file, in: &quarantine)
            quarantine.note(
                entry.crash, of: entry.module, entry.path, sha256: entry.sha256,
                present: now?.sha256)
        }
        guard entries.contains(where: { $0 == nil }) else { return nil }
        try QuarantineError.wrapping(try folder.rename(Self.taken, to: Self.damaged))
        return .damagedLog(path(Self.log), keptAs: path(Self.damaged))
    }

    /// The content of a module's file. The file is hashed only if its identity has changed.
    ///
    /// - Returns: `nil` if the file cannot be read.
    private func content(
        of module: String, _ file: String, in quarantine: inout Quarantine
    ) -> Quarantine.Content? {
        guard let opened = try? OpenFile(reading: file), let status = try? opened.status(),
            status.kind == .file
        else { return nil }
        let identity = FileIdentity(status).text
        if let known = quarantine.contents[module], known.identity == identity { return known }
        guard let digest = try? SHA256.digest(of: opened) else { return nil }
        let content = Quarantine.Content(identity: identity, sha256: digest.hex)
        quarantine.contents[module] = content
        return content
    }

    /// Reads the renamed log. A process that crashes may have opened it before it was renamed, and has a second to
    /// write its line, for which it locks the file.
    private static func takenBytes(
        in folder: borrowing OpenFolder
    ) throws(QuarantineError) -> [UInt8] {
        guard let file = try QuarantineError.wrapping(try folder.file(taken)) else { return [] }
        for _ in 0..<100 where !file.lockAlone() { poll(nil, 0, 10) }
        return try QuarantineError.wrapping(try file.content())
    }

    /// So many whole reports of crashes are kept.
    private static let reportCount = 8

    /// Removes all but the newest of the whole reports of crashes, which the processes that crashed have left.
    private static func removeOldReports(in folder: borrowing OpenFolder) {
        guard let names = try? folder.names(startingWith: "crash-") else { return }
        let reports = names.compactMap { name in
            (try? folder.status(link: name)).map { (name, $0.modified) }
        }
        for (name, _) in reports.sorted(by: { $0.1 > $1.1 }).dropFirst(reportCount) {
            try? folder.remove(name)
        }
    }
}

/// A module that may crash, as the quarantine names it.
package struct SuspectModule: Hashable, Sendable {
    package let id: String
    /// The file, as messages show it.
    package let path: String
    /// The file as an absolute path.
    package let file: String

    package init(id: String, path: String, file: String) {
        self.id = id
        self.path = path
        self.file = file
    }
}

/// A file of the quarantine is damaged, or cannot be read or written.
package enum QuarantineError: Error, Hashable, Sendable, Diagnosable {
    /// The file with the records is damaged. It stays as it is.
    case damaged(String)
    /// The log of crashes has damaged lines. It was moved aside.
    case damagedLog(String, keptAs: String)
    /// The store cannot be used.
    case store(PlaceError)

    /// Runs `body`, and makes its error one of the store.
    @discardableResult
    static func wrapping<Value: ~Copyable>(
        _ body: @autoclosure () throws(SystemError) -> Value
    ) throws(QuarantineError) -> Value {
        do throws(SystemError) { return try body() } catch { throw .store(.system(error)) }
    }

    package var diagnostic: Diagnostic {
        switch self {
        case .damaged(let path):
            Diagnostic(
                "\(path): expected the quarantine that eaves wrote, found something else: "
                    + "no module is kept out",
                fix: "repair the file, or remove it", code: .badData)
        case .damagedLog(let path, let kept):
            Diagnostic(
                "\(path): expected the crashes that eaves noted, found other lines as well",
                fix: "look into \(kept), where the log is kept, or remove that file",
                code: .badData)
        case .store(let error): error.diagnostic
        }
    }
}

/// Tells for each module whether the quarantine keeps it out.
///
/// If no module ever crashed, the whole check takes three system calls.
package struct QuarantineCheck: Sendable {
    /// The problems of the quarantine's files.
    package private(set) var errors: [QuarantineError] = []
    private let store: QuarantineStore
    /// `nil` if no module ever crashed.
    private var quarantine: Quarantine?
    private let known: [String: Quarantine.Content]

    /// Reads the quarantine, and counts the crashes in its log.
    package init(_ store: QuarantineStore) {
        self.store = store
        quarantine = store.read(&errors)
        known = quarantine?.contents ?? [:]
    }

    package mutating func obstacle(to module: @autoclosure () -> SuspectModule) -> QuarantineRecord?
    {
        guard quarantine != nil else { return nil }
        return store.obstacle(to: module(), in: &quarantine!)
    }

    package var keptOut: [String] { quarantine?.keptOut ?? [] }

    /// The record that keeps a module out with a content; `nil` if none does.
    package func obstacle(to module: String, _ digest: SHA256Digest) -> QuarantineRecord? {
        quarantine?.record(of: module, sha256: digest.hex).flatMap { $0.since == nil ? nil : $0 }
    }

    /// Keeps the digests of the files that had to be hashed. If the store cannot be written, the next run
    /// hashes the files again, and that is all.
    package func remember() {
        let learned = quarantine?.contents.filter { known[$0.key] != $0.value } ?? [:]
        if !learned.isEmpty { try? store.remember(learned) }
    }
}
