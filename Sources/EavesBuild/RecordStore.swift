// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesJSON
import EavesSystem

/// Where the builder keeps its records.
struct RecordStore: Hashable, Sendable {
    enum Entry: Hashable, Sendable {
        case record(BuildRecord)
        /// There is one, and it cannot be read.
        case damaged
        case absent
    }

    private let folder: String

    /// - Parameter store: The folder `.eaves`.
    init(store: String) {
        folder = Path.join(store, "build")
    }

    private func path(_ id: String) -> String { Path.join(folder, "\(id).json") }

    func entry(_ id: String) -> Entry {
        do throws(SystemError) {
            let bytes = try Files.read(path(id), limit: 16 << 20)
            return BuildRecord(json: bytes).map(Entry.record) ?? .damaged
        } catch {
            return error.errno == .noSuchFile || error.errno == .notDirectory ? .absent : .damaged
        }
    }

    /// Does `body` and writes the record that it gives, while no other build does the same: of two
    /// builds at one time, output and record are both the first one's or both the second one's.
    ///
    /// - Returns: What kept the record from being written. `body` is done all the same.
    func update<Failure: Error>(
        _ id: String, _ body: () throws(Failure) -> BuildRecord?
    ) throws(Failure) -> SystemError? {
        let lock: FileLock
        do throws(SystemError) {
            try Files.createFolder(folder)
            lock = try FileLock(folder)
        } catch {
            _ = try body()
            return error
        }
        return try lock.hold { () throws(Failure) in
            try body().flatMap { write($0, id) }
        }
    }

    private func write(_ record: BuildRecord, _ id: String) -> SystemError? {
        do throws(SystemError) {
            let text = record.json.text(pretty: true) + "\n"
            try Files.replace(path(id), with: Array(text.utf8))
            return nil
        } catch {
            return error
        }
    }
}
