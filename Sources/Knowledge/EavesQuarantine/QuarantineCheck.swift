// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

package import EavesSystem

/// Says of one module after the other whether the quarantine keeps it out.
///
/// Where no module ever crashed, all of that is one system call.
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

    /// The record that keeps a module out with the content that its file has now; `nil` if none does.
    package mutating func obstacle(to module: @autoclosure () -> SuspectModule) -> QuarantineRecord?
    {
        guard quarantine != nil else { return nil }
        return store.obstacle(to: module(), in: &quarantine!)
    }

    /// The modules that are kept out, with any content.
    package var keptOut: [String] { quarantine?.keptOut ?? [] }

    /// Whether a module is kept out with a content.
    package func keepsOut(_ module: String, _ digest: SHA256Digest) -> Bool {
        quarantine?.record(of: module, sha256: digest.hex)?.since != nil
    }

    /// Keeps the digests of the files that had to be hashed. If the store cannot be written, the next run
    /// hashes the files again, and that is all.
    package func remember() {
        let learned = quarantine?.contents.filter { known[$0.key] != $0.value } ?? [:]
        if !learned.isEmpty { try? store.remember(learned) }
    }
}
