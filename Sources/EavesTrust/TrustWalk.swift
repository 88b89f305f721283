// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesSystem

/// Follows a path as the system does, name by name and link by link, and looks at every directory
/// that it passes: someone who can write one of them can put something else there.
///
/// A path inside the manifest's folder is followed from that folder: a person who names the manifest
/// relies on the directories above it anyway. Any other path is followed from the root.
struct TrustWalk {
    /// The folder of the manifest, as an absolute path.
    private let base: String?
    private let place: TrustPlace
    /// The names that are still to follow, the next one last.
    private var names: [Substring] = []
    /// The directory that the walk has reached, and its status.
    private var here = "/"
    private var status: FileStatus
    /// Whether the walk is inside the manifest's folder.
    private var isInside = false
    private var linkCount = 0

    /// Linux follows no more links than this.
    private static let linkLimit = 40

    /// Follows a path to its end.
    ///
    /// - Parameter base: The folder to begin at if the path lies in it.
    /// - Returns: The path of the file or directory at the end, without links.
    /// - Throws: ``TrustError`` for the first untrusted directory, link or file.
    static func follow(_ place: TrustPlace, from base: String?) throws(TrustError) -> String {
        var walk = try TrustWalk(place, from: base)
        return try walk.run()
    }

    private init(_ place: TrustPlace, from base: String?) throws(TrustError) {
        self.base = base
        self.place = place
        status = try Self.status(place) { () throws(SystemError) in try FileStatus(path: "/") }
        try enter(place.path)
    }

    /// Goes to the beginning of an absolute path.
    private mutating func enter(_ path: String) throws(TrustError) {
        isInside = false
        here = "/"
        var rest = path[...]
        if let base, path == base || path.utf8.starts(with: (base + "/").utf8) {
            isInside = true
            here = base
            rest = path.dropFirst(base.count)
        }
        names += rest.split(separator: "/").reversed()
        let start = here
        status = try Self.status(place) { () throws(SystemError) in try FileStatus(path: start) }
    }

    private mutating func run() throws(TrustError) -> String {
        while let name = names.popLast() {
            switch name {
            case ".": break
            case "..": try leave()
            default:
                let path = Path.join(here, String(name))
                let found = try Self.status(place) { () throws(SystemError) in
                    try FileStatus(link: path)
                }
                try checkDirectory(before: found)
                let isEnd = try step(to: path, found)
                if isEnd { return path }
            }
        }
        if let error = TrustRule.error(of: status, at: TrustPlace(here, .way)) { throw error }
        return here
    }

    /// Looks at the next name, and goes there.
    ///
    /// - Returns: Whether it is a file, and so the end.
    private mutating func step(to path: String, _ found: FileStatus) throws(TrustError) -> Bool {
        switch found.kind {
        case .directory:
            if let error = TrustRule.owner(found, TrustPlace(path, .way)) { throw error }
            here = path
            status = found
        case .link:
            if let error = TrustRule.owner(found, TrustPlace(path, .way)) { throw error }
            linkCount += 1
            let isEndless = linkCount > Self.linkLimit
            let target = try Self.status(place) { () throws(SystemError) in
                if isEndless { throw SystemError(.inspect, path, .tooManyLinks) }
                return try Files.target(ofLink: path)
            }
            if target.utf8.first == UInt8(ascii: "/") {
                try enter(target)
            } else {
                names += target.split(separator: "/").reversed()
            }
        default:
            if let error = TrustRule.error(of: found, at: TrustPlace(path, place.role)) {
                throw error
            }
            return true
        }
        return false
    }

    /// Looks at the directory that contains the next name: someone who can write it can replace what
    /// it contains.
    ///
    /// A directory with the sticky bit, such as `/tmp`, is different: only the owner of an entry can
    /// replace it. The walk accepts that outside the manifest's folder, for directories and links. A
    /// file could still be another file of the same owner, hard-linked under this name.
    private func checkDirectory(before found: FileStatus) throws(TrustError) {
        let isSticky = status.mode & 0o1000 != 0
        if !isInside, isSticky, found.kind == .directory || found.kind == .link {
            if let error = TrustRule.owner(status, TrustPlace(here, .way)) { throw error }
        } else if let error = TrustRule.error(of: status, at: TrustPlace(here, .way)) {
            throw error
        }
    }

    /// Follows `..`, which is the directory above on the disk: the path of the manifest's folder may
    /// contain links.
    private mutating func leave() throws(TrustError) {
        let folder = isInside && here == base ? Files.resolved(here) ?? here : here
        isInside = isInside && here != base
        here = Path.parent(of: folder)
        let above = here
        status = try Self.status(place) { () throws(SystemError) in try FileStatus(path: above) }
    }

    private static func status<Value>(
        _ place: TrustPlace, _ look: () throws(SystemError) -> Value
    ) throws(TrustError) -> Value {
        do throws(SystemError) { return try look() } catch { throw .unresolved(place, error) }
    }
}
