// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesSystem

/// Who crashed, and who is kept out for it. A value: ``QuarantineStore`` keeps it on the disk.
package struct Quarantine: Hashable, Sendable {
    /// What a module's file hashed to when it was last looked at.
    package struct Content: Hashable, Sendable {
        var stamp: ContentStamp
        var sha256: String
    }

    /// As many crashes in a host keep a module out.
    package static let limit = 3

    /// In the order in which they first crashed.
    package internal(set) var records: [QuarantineRecord] = []
    /// By the module's id.
    package var contents: [String: Content] = [:]

    package init() {}

    package var isEmpty: Bool { records.isEmpty }

    /// What is known against a module of this content.
    package func record(of module: String, sha256: String) -> QuarantineRecord? {
        records.first { $0.module == module && $0.sha256 == sha256 }
    }

    /// Whether anything of this id is kept out.
    func keepsOut(_ module: String) -> Bool {
        records.contains { $0.module == module && $0.since != nil }
    }

    /// Notes a crash in a host; with the third one of the same content the module is kept out.
    mutating func note(_ crash: ModuleCrash, of module: String, _ path: String, sha256: String) {
        forgetCounts(of: module, but: sha256)
        let index = index(of: module, path, sha256: sha256)
        // Who died between noting crashes and taking them off the list leaves them there.
        guard !records[index].crashes.contains(crash) else { return }
        records[index].crashes.append(crash)
        let crashes = records[index].crashes
        guard crashes.count >= Self.limit, records[index].since == nil else { return }
        records[index].since = crash.time
        records[index].reason =
            "crashed \(crashes.count) times, last with \(SignalName.of(crash.signal))"
    }

    /// Keeps a module out from now on.
    mutating func keepOut(
        _ module: String, _ path: String, sha256: String, since time: Int, because reason: String
    ) {
        let index = index(of: module, path, sha256: sha256)
        guard records[index].since == nil else { return }
        records[index].since = time
        records[index].reason = reason
    }

    /// Forgets all that is known against modules.
    ///
    /// - Parameter modules: Their ids; `nil` for all.
    /// - Returns: The ids of those that something was known of.
    mutating func clear(_ modules: Set<String>?) -> Set<String> {
        func isCleared(_ id: String) -> Bool { modules?.contains(id) ?? true }
        let cleared = Set(records.map(\.module).filter(isCleared))
        records.removeAll { isCleared($0.module) }
        contents = contents.filter { !isCleared($0.key) }
        return cleared
    }

    /// A module that was changed begins anew. What is kept out stays known: the old file may return.
    private mutating func forgetCounts(of module: String, but sha256: String) {
        records.removeAll { $0.module == module && $0.sha256 != sha256 && $0.since == nil }
    }

    private mutating func index(of module: String, _ path: String, sha256: String) -> Int {
        if let index = records.firstIndex(where: { $0.module == module && $0.sha256 == sha256 }) {
            records[index].path = path
            return index
        }
        records.append(QuarantineRecord(module: module, path: path, sha256: sha256))
        return records.count - 1
    }
}
