// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesSystem

/// Follows a path as the system does, name by name and link by link, and looks at every directory
/// that it goes through: who can write one of them can put something else there.
///
/// It begins at the manifest's folder where the path lies inside of it: what is above is what the
/// person who named the manifest relies on anyway. Else it begins at the root.
struct TrustWalk {
    /// The folder of the manifest, as an absolute path.
    private let base: String?
    private let place: TrustPlace
    /// The names that are still to follow, the next one last.
    private var names: [Substring] = []
    /// Where it stands: a directory, and what is known of it.
    private var here = "/"
    private var status: FileStatus
    /// Whether it is inside of the manifest's folder.
    private var isInside = false
    private var linkCount = 0

    /// As many as Linux follows.
    private static let linkLimit = 40

    /// - Parameter base: The folder to begin at where the path lies in it.
    /// - Returns: The file or directory that the path leads to, without links.
    /// - Throws: ``TrustError`` of the first thing on the way that is not to be trusted.
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

    /// Begins anew, with an absolute path.
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
        if let fault = TrustRule.error(of: status, at: TrustPlace(here, .way)) { throw fault }
        return here
    }

    /// - Returns: Whether this is a file, and so the end.
    private mutating func step(to path: String, _ found: FileStatus) throws(TrustError) -> Bool {
        switch found.kind {
        case .directory:
            if let fault = TrustRule.owner(found, TrustPlace(path, .way)) { throw fault }
            here = path
            status = found
        case .link:
            if let fault = TrustRule.owner(found, TrustPlace(path, .way)) { throw fault }
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
            if let fault = TrustRule.error(of: found, at: TrustPlace(path, place.role)) {
                throw fault
            }
            return true
        }
        return false
    }

    /// Whoever can write the directory can exchange what is in it.
    ///
    /// Not so in a directory with the sticky bit, such as `/tmp`: there, only who owns a thing can.
    /// That counts outside of the manifest's folder, and for directories and links in it. A file
    /// could still be another one of the same owner, hard-linked under this name.
    private func checkDirectory(before found: FileStatus) throws(TrustError) {
        let isSticky = status.mode & 0o1000 != 0
        if !isInside, isSticky, found.kind == .directory || found.kind == .link {
            if let fault = TrustRule.owner(status, TrustPlace(here, .way)) { throw fault }
        } else if let fault = TrustRule.error(of: status, at: TrustPlace(here, .way)) {
            throw fault
        }
    }

    /// `..` is the directory above, on the disk: the folder of the manifest may be named by a link.
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
