// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

extension QuarantineStore {
    /// Keeps a module out from now on, in the content that its file has.
    ///
    /// - Parameters:
    ///   - reason: What it did.
    ///   - time: When, in seconds since 1970.
    /// - Returns: Whether it could be: a file that cannot be read is no longer there to be loaded.
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
    /// - Returns: The ids of those that something was known of.
    package func clear(_ modules: Set<String>?) throws(QuarantineError) -> Set<String> {
        guard isThere else { return [] }
        return try update { quarantine throws(QuarantineError) in quarantine.clear(modules) }
    }

    /// The one that keeps a module out as it is now; `nil` if nothing does.
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

    /// Keeps what files hashed to, so that they need not be hashed again.
    package func remember(_ contents: [String: Quarantine.Content]) throws(QuarantineError) {
        try update { quarantine throws(QuarantineError) in
            quarantine.contents.merge(contents) { $1 }
        }
    }
}
