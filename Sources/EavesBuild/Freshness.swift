// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesJSON
import EavesSystem

/// Compares a module's file with the sources it is built from.
package enum Freshness: Hashable, Sendable {
    /// The builder wrote the file, and nothing has changed since.
    case fresh
    /// The builder wrote the file, and something may have changed since.
    case stale
    /// The builder did not write the file, so only an explicit build may replace it.
    case foreign
    /// The file does not exist.
    case missing
}

extension Builder {
    /// Tells whether a module has to be built, by the status of its files: reads nothing but a small
    /// record, and starts no process.
    ///
    /// An existing file without a record is `foreign`, for instance after the store was deleted.
    /// A missing SDK or compiler counts as unchanged.
    package func freshness(of request: BuildRequest) -> Freshness {
        guard let output = BuildIdentity(path: request.output) else { return .missing }
        switch records?.entry(request.id) {
        case nil, .absent: return .foreign
        case .damaged: return .stale
        case .record(let record):
            guard record.describes(output, of: request) else { return .foreign }
            return isCurrent(record, request) ? .fresh : .stale
        }
    }

    /// Whether ``freshness(of:)`` is `fresh`.
    package func isFresh(_ request: BuildRequest) -> Bool {
        freshness(of: request) == .fresh
    }

    private func isCurrent(_ record: BuildRecord, _ request: BuildRequest) -> Bool {
        guard record.folder == request.folder,
            request.configuration.map({ $0 == record.configuration }) ?? true
        else { return false }
        if case .success(let sdk) = sdk, sdk.identity != record.sdk { return false }
        if case .success(let toolchain) = toolchain, toolchain.identity != record.compiler {
            return false
        }
        return (try? SourceFiles(request.folder))?.files == record.files
    }
}

/// Identifies one state of a file for builds: a ``FileIdentity`` without device and change time.
///
/// The number of a device changes when its file system is mounted again, and the change time changes
/// with a file's name or permissions. Neither makes a module out of date.
struct BuildIdentity: Hashable, Sendable {
    private let inode: UInt64
    private let size: Int64
    /// In nanoseconds since 1970.
    private let modified: Int64

    init(_ status: FileStatus) {
        self.init(FileIdentity(status))
    }

    /// `nil` if the file does not exist or cannot be looked at.
    init?(path: String) {
        guard let status = try? FileStatus(path: path) else { return nil }
        self.init(status)
    }

    init(_ identity: FileIdentity) {
        inode = identity.inode
        size = identity.size
        modified = identity.modified
    }

    /// This identity, or one that matches no file if a later change could leave the file's time as it
    /// is: the next build then compares the content.
    ///
    /// - Parameter now: A time before the file was read, in nanoseconds since 1970.
    func settled(at now: Int64) -> BuildIdentity {
        FileIdentity.isSettled(modified, at: now) ? self : BuildIdentity(.none)
    }
}

extension BuildIdentity {
    var json: JSON {
        [
            "inode": .string(String(inode)), "size": .integer(Int(size)),
            "modified": .integer(Int(modified)),
        ]
    }

    /// `nil` if the value is missing or damaged.
    init?(_ node: JSONNode?) {
        guard let inode = node?["inode"]?.string.flatMap({ UInt64($0) }),
            let size = node?["size"]?.integer, let modified = node?["modified"]?.integer
        else { return nil }
        self.inode = inode
        self.size = Int64(size)
        self.modified = Int64(modified)
    }
}
