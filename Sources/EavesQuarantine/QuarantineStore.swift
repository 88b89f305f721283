// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesJSON
import EavesSystem

/// The quarantine on the disk: a folder in the store, which exists once a module has crashed.
package struct QuarantineStore: Sendable {
    /// The folder of the store.
    package let store: String
    /// The quarantine's own folder. Processes lock it while they change the quarantine.
    package var folder: String { Path.join(store, "quarantine") }
    /// The log: a process that crashes adds a line to it.
    package var log: String { Path.join(folder, "crashes.log") }
    private var file: String { Path.join(folder, "modules.json") }
    /// The log while its crashes are counted.
    private var taken: String { log + ".taken" }

    /// - Parameter store: The folder of the manifest's store.
    package init(_ store: String) {
        self.store = store
    }

    /// Whether a module has ever crashed. Costs one system call.
    package var isThere: Bool { (try? FileStatus(path: folder)) != nil }

    /// Reads the quarantine, and counts the crashes in the log.
    ///
    /// - Parameter errors: Receives the problems of the files. A file that cannot be read keeps no
    ///   module out.
    package func read(_ errors: inout [QuarantineError]) -> Quarantine {
        guard isThere else { return Quarantine() }
        do throws(QuarantineError) {
            // Twice at most: a process that ended while it counted has left its log, and there may be a
            // new one. The crashes of one are on the disk before the other takes its place.
            for source in [taken, log] where (try? FileStatus(path: source)) != nil {
                try update(removing: taken) { quarantine throws(QuarantineError) in
                    if let error = try takeLog(into: &quarantine) { errors.append(error) }
                }
            }
            return try load()
        } catch {
            errors.append(error)
            // Where nothing can be written, the records of earlier commands still count.
            return (try? load()) ?? Quarantine()
        }
    }

    /// Keeps a module out from now on, with the content that its file has now.
    ///
    /// - Parameters:
    ///   - reason: What the module did.
    ///   - time: When it did that, in seconds since 1970.
    /// - Returns: `false` if the file cannot be read: then no host can load it either.
    package func keepOut(
        _ module: SuspectModule, because reason: String, since time: Int
    ) throws(QuarantineError) -> Bool {
        try update { quarantine throws(QuarantineError) in
            guard let content = content(of: module.id, module.file, in: &quarantine) else {
                return false
            }
            quarantine.keepOut(
                module.id, module.path, sha256: content.sha256, since: time, because: reason)
            return true
        }
    }

    /// Lets modules in again, and forgets their crashes.
    ///
    /// - Parameter modules: Their ids; `nil` for all.
    /// - Returns: The ids of those that had records.
    package func clear(_ modules: Set<String>?) throws(QuarantineError) -> Set<String> {
        guard isThere else { return [] }
        return try update { quarantine throws(QuarantineError) in quarantine.clear(modules) }
    }

    /// The record that keeps a module out with the content that its file has now; `nil` if none does.
    package func obstacle(
        to module: SuspectModule, in quarantine: inout Quarantine
    ) -> QuarantineRecord? {
        guard quarantine.keepsOut(module.id),
            let content = content(of: module.id, module.file, in: &quarantine),
            let record = quarantine.record(of: module.id, sha256: content.sha256),
            record.since != nil
        else { return nil }
        return record
    }

    /// Keeps the digests of files, so that they need not be hashed again.
    package func remember(_ contents: [String: Quarantine.Content]) throws(QuarantineError) {
        try update { quarantine throws(QuarantineError) in
            quarantine.contents.merge(contents) { $1 }
        }
    }

    /// Changes the quarantine while no other process can.
    ///
    /// - Parameter source: A file to remove once the change is on the disk.
    private func update<Result>(
        removing source: String? = nil,
        _ change: (inout Quarantine) throws(QuarantineError) -> Result
    ) throws(QuarantineError) -> Result {
        try Self.calling { () throws(SystemError) in
            try Files.createFolder(store, mode: 0o700)
            try Files.createFolder(folder, mode: 0o700)
        }
        let lock = try Self.calling { () throws(SystemError) in try FileLock(folder) }
        return try lock.hold { () throws(QuarantineError) in
            let before = try load()
            var quarantine = before
            let result = try change(&quarantine)
            if quarantine != before { try save(quarantine) }
            try Self.calling { () throws(SystemError) in
                if let source { try Files.remove(source) }
            }
            return result
        }
    }

    /// Reads the file of records, and leaves the log alone.
    private func load() throws(QuarantineError) -> Quarantine {
        guard let bytes = try Self.bytes(file) else { return Quarantine() }
        guard let root = try? JSONNode.parse(bytes), let quarantine = Quarantine(root) else {
            throw .damaged(file)
        }
        return quarantine
    }

    private func save(_ quarantine: Quarantine) throws(QuarantineError) {
        try Self.calling { () throws(SystemError) in
            let text = quarantine.json.text(pretty: true) + "\n"
            try Files.replace(file, with: Array(text.utf8), mode: 0o600)
        }
    }

    /// Counts the crashes in the log. The caller holds the lock.
    ///
    /// The log is renamed before it is read, so that a process that crashes meanwhile starts a new
    /// one.
    ///
    /// - Returns: An error if the log has damaged lines; the others are counted.
    private func takeLog(
        into quarantine: inout Quarantine
    ) throws(QuarantineError) -> QuarantineError? {
        // A renamed log that is already there was left by a process that ended while it counted.
        if (try? FileStatus(path: taken)) == nil, (try? FileStatus(path: log)) != nil {
            try Self.calling { () throws(SystemError) in try Files.rename(log, to: taken) }
        }
        let lines = try Self.bytes(taken)?.split(separator: UInt8(ascii: "\n")) ?? []
        let entries = lines.map { CrashLogEntry($0) }
        for entry in entries {
            guard let entry, let now = content(of: entry.module, entry.file, in: &quarantine),
                entry.digest(now: now) == now.sha256
            else { continue }
            quarantine.note(entry.crash, of: entry.module, entry.path, sha256: now.sha256)
        }
        guard entries.contains(where: { $0 == nil }) else { return nil }
        let kept = Path.join(folder, "crashes.damaged.log")
        try Self.calling { () throws(SystemError) in try Files.rename(taken, to: kept) }
        return .damagedLog(log, keptAs: kept)
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

    /// Reads a file; `nil` if it does not exist.
    private static func bytes(_ path: String) throws(QuarantineError) -> [UInt8]? {
        do throws(SystemError) {
            return try Files.read(path)
        } catch {
            if error.errno == .noSuchFile { return nil }
            throw .system(error)
        }
    }

    private static func calling<Value: ~Copyable>(
        _ call: () throws(SystemError) -> Value
    ) throws(QuarantineError) -> Value {
        do throws(SystemError) { return try call() } catch { throw .system(error) }
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
