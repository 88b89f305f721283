// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import CEavesHotRestart
import EavesSystem

/// The program's file: where a fresh process finds it, and whether another file has taken its place.
struct ProgramPlace: Sendable {
    /// The absolute path by which the program was started, with its links.
    let path: String
    /// The folder in which a fresh process starts.
    let folder: String
    private let identity: FileIdentity

    /// Looks at the program of this process, before any code changes its folder.
    init() throws(SystemError) {
        folder = Path.current
        let started = eaves_start_path().map { String(cString: $0) } ?? ""
        // A program that was started by a descriptor has no path but that of its file.
        let isNamed =
            !started.isEmpty && !started.hasPrefix("/proc/") && !started.hasPrefix("/dev/fd/")
        path =
            isNamed
            ? Path.absolute(started, from: folder) : try Files.target(ofLink: "/proc/self/exe")
        identity = FileIdentity(try FileStatus(path: path)).ofContent
    }

    /// The file that stands in the place of the one that was there; `nil` if there is none, or if it may still be
    /// written. It may be anything that the system can run.
    var replacement: FileIdentity? { isUnfinished ? nil : new }

    /// Whether the file may still be written: it was written a moment ago. A file that is renamed into
    /// the place was written before.
    var isUnfinished: Bool {
        guard let new else { return false }
        return new.size == 0 || (0..<Self.moment).contains(WallClock.now - new.modified)
    }

    /// In nanoseconds.
    private static let moment: Int64 = 100_000_000

    private var new: FileIdentity? {
        guard let status = try? FileStatus(path: path) else { return nil }
        let new = FileIdentity(status).ofContent
        return new == identity ? nil : new
    }
}

extension FileIdentity {
    /// The identity without the time of the last change of its status: signing a file or changing its mode makes no
    /// other program of it.
    fileprivate var ofContent: FileIdentity {
        var identity = self
        identity.changed = 0
        return identity
    }
}
