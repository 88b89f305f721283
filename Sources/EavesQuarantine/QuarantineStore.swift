// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesJSON
import EavesSystem

/// The quarantine on the disk: a folder in the store, which is there once a module has crashed.
package struct QuarantineStore: Sendable {
    /// The folder of the store.
    package let store: String
    /// The quarantine's own folder, which is also what is locked.
    package var folder: String { Path.join(store, "quarantine") }
    /// What a process that dies adds a line to.
    package var log: String { Path.join(folder, "crashes.log") }
    private var file: String { Path.join(folder, "modules.json") }

    /// - Parameter store: The manifest's.
    package init(_ store: String) {
        self.store = store
    }

    /// Whether a module has ever crashed. One system call.
    package var isThere: Bool { (try? FileStatus(path: folder)) != nil }

    /// Who is kept out, with the crashes counted that were noted since.
    ///
    /// - Parameter faults: Takes what is wrong with the files. What cannot be read keeps nobody out.
    package func read(_ faults: inout [QuarantineError]) -> Quarantine {
        guard isThere else { return Quarantine() }
        do throws(QuarantineError) {
            guard (try? FileStatus(path: log)) != nil else { return try load() }
            return try update(
                removing: log + Self.takenSuffix
            ) { quarantine throws(QuarantineError) in
                if let fault = try takeLog(into: &quarantine) { faults.append(fault) }
                return quarantine
            }
        } catch {
            faults.append(error)
            // Where nothing can be written, what was written before still counts.
            return (try? load()) ?? Quarantine()
        }
    }

    /// Changes the quarantine, alone among all processes.
    ///
    /// - Parameter source: A file of which nothing is needed any more once the change is safe.
    func update<Result>(
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

    private static let takenSuffix = ".taken"

    /// Reads who is kept out, and leaves the log alone.
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

    /// Counts the crashes that were noted. Under the lock.
    ///
    /// The log is set aside before it is read, so that a process that dies now begins another one.
    private func takeLog(
        into quarantine: inout Quarantine
    ) throws(QuarantineError) -> QuarantineError? {
        let taken = log + Self.takenSuffix
        // One that is there already was left by a process that ended in the middle of this.
        if (try? FileStatus(path: taken)) == nil {
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

    /// What a file hashes to; it is read only if it is not the one that was read last.
    ///
    /// - Returns: `nil` if it cannot be read.
    func content(
        of module: String, _ file: String, in quarantine: inout Quarantine
    ) -> Quarantine.Content? {
        guard let opened = try? OpenFile(reading: file), let status = try? opened.status(),
            status.kind == .file
        else { return nil }
        let stamp = ContentStamp(status)
        if let known = quarantine.contents[module], known.stamp == stamp { return known }
        guard let digest = try? SHA256.digest(of: opened) else { return nil }
        let content = Quarantine.Content(stamp: stamp, sha256: digest.hex)
        quarantine.contents[module] = content
        return content
    }

    /// `nil` if there is no such file.
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
