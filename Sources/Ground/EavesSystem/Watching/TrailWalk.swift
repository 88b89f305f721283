// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import Glibc

/// One walk along a trail, from the root of the disk on, link by link.
///
/// Each folder is watched before the walk looks up a name in it. A folder on the way is watched for being moved
/// away, which takes no notice of the files in it: `/tmp` changes all the time. The names count in three kinds of
/// folders: where the walk ends, where it comes by a link, and directly above the end: a folder that a process
/// has open gives no event of its own when it is removed.
struct TrailWalk {
    let trail: Trail
    private(set) var holds: [(hold: Trails.Hold, path: String)] = []
    /// The entries of the folder at the end that need trails of their own.
    private(set) var children: Set<Trail> = []

    /// The folders that the walk is in, the innermost last. None is a link.
    private var way = ["/"]
    /// The names that are still to be followed, the next one last.
    private var rest: [String]
    private var linkCount = 0

    /// As many as the system follows.
    private static let maximumLinks = 40
    /// How often a walk is begun anew because the disk has changed meanwhile.
    private static let maximumAttempts = 100

    init(_ trail: Trail) {
        self.trail = trail
        rest = Self.names(in: trail.path)
    }

    private static func names(in path: String) -> [String] {
        path.utf8.split(separator: UInt8(ascii: "/")).reversed()
            .map { String(decoding: $0, as: UTF8.self) }
    }

    /// - Returns: `false` if the disk changes so fast that no walk reaches the end.
    mutating func run(with inotify: borrowing Inotify) throws(SystemError) -> Bool {
        for _ in 0..<Self.maximumAttempts {
            // What an attempt has watched stays in ``holds``: too much is watched, not too little.
            (way, rest, linkCount, children) = (["/"], Self.names(in: trail.path), 0, [])
            if try reachEnd(inotify) { return true }
        }
        return false
    }

    /// - Returns: `false` if something has changed under the walk's feet.
    private mutating func reachEnd(_ inotify: borrowing Inotify) throws(SystemError) -> Bool {
        while true {
            guard let folder = way.last else { return false }
            let reached = try hold(folder, .itself, inotify)
            if reached == .gone { return false }
            guard let name = rest.popLast() else {
                return try finish(inFolder: folder, inotify)
            }
            if name == "." { continue }
            if name == ".." {
                if way.count > 1 { way.removeLast() }
                continue
            }
            let path = Path.join(folder, name)
            let isLast = rest.isEmpty && !trail.endsInFolder
            if !isLast, DirectoryEntry(path).kind == .directory {
                way.append(path)
                continue
            }
            // A link, the end, or nothing: from now on the name itself counts. It may have changed meanwhile.
            let watching = try hold(folder, .name(name), inotify)
            if watching == .gone { return false }
            let entry = DirectoryEntry(path)
            switch entry.kind {
            case .directory where !isLast:
                way.append(path)
            case .link where linkCount < Self.maximumLinks:
                if watching == .refused, try hold(path, .itself, isFolder: false, inotify) == .gone
                {
                    return false
                }
                guard let target = try? Files.target(ofLink: path) else { return false }
                linkCount += 1
                if target.utf8.first == UInt8(ascii: "/") { way = ["/"] }
                rest += Self.names(in: target)
            case nil where watching == .refused:
                throw SystemError(.watch, folder, .permissionDenied)
            default:
                if watching == .refused || entry.linkCount > 1, entry.kind == .file {
                    if try hold(path, .itself, isFolder: false, inotify) == .gone { return false }
                }
                return try guardEnd(inotify)
            }
        }
    }

    /// Watches the folder at the end, and looks for files that need trails of their own.
    private mutating func finish(
        inFolder folder: String, _ inotify: borrowing Inotify
    ) throws(SystemError) -> Bool {
        guard trail.endsInFolder else { return try guardEnd(inotify) }
        switch try hold(folder, .names, inotify) {
        case .gone: return false
        case .refused: throw SystemError(.watch, folder, .permissionDenied)
        case .watching: break
        }
        let entries: [Folder.Entry]
        do throws(SystemError) {
            entries = try Folder(folder).entries
        } catch {
            if error.errno.meansMissing { return false }
            throw error
        }
        for entry in entries where trail.includes(entry.name) {
            let path = Path.join(trail.path, entry.name)
            let found = DirectoryEntry(Path.join(folder, entry.name))
            if found.needsTrail {
                children.insert(Trail(kind: .entry, path: path))
            } else if trail.kind == .tree, found.kind == .directory {
                children.insert(Trail(kind: .tree, path: path))
            }
        }
        return try guardEnd(inotify)
    }

    /// Watches the name of the innermost folder, too.
    private mutating func guardEnd(_ inotify: borrowing Inotify) throws(SystemError) -> Bool {
        guard way.count > 1, let folder = way.last else { return true }
        let above = way[way.count - 2]
        guard try hold(above, .name(Path.name(of: folder)), inotify) == .watching else {
            return DirectoryEntry(folder).kind == .directory
        }
        // The folder must be the one that the walk has watched.
        let known = holds.last { $0.path == folder && $0.hold.use == .itself }
        guard let known else { return DirectoryEntry(folder).kind == .directory }
        return try hold(folder, .itself, inotify) == .watching
            && holds.last?.hold.watch == known.hold.watch
    }

    private enum Outcome {
        case watching, gone
        /// The user may pass through the folder, but not read it.
        case refused
    }

    /// Watches a folder; or a file or a symbolic link, for itself.
    private mutating func hold(
        _ path: String, _ use: Trails.Use, isFolder: Bool = true, _ inotify: borrowing Inotify
    ) throws(SystemError) -> Outcome {
        let changes: Inotify.Changes =
            !isFolder ? .ofFile : use == .itself ? .ofItself : .ofNames
        do throws(SystemError) {
            let watch = try inotify.add(changes, of: path, isFolder: isFolder)
            holds.append((Trails.Hold(watch: watch, use: use), path))
            return .watching
        } catch {
            if error.errno.meansMissing { return .gone }
            guard error.errno == .permissionDenied else { throw error }
            return .refused
        }
    }
}

extension Trail {
    fileprivate var endsInFolder: Bool { kind == .directory || kind == .tree }
}

/// A name in a folder, and what it stands for. Does not follow a symbolic link.
struct DirectoryEntry {
    /// `nil` if there is nothing, or the user must not look at it.
    let kind: FileStatus.Kind?
    let linkCount: Int
    /// In bytes.
    let size: Int

    init(_ path: String) {
        var status = stat()
        let result = path.withCString { lstat($0, &status) }
        kind = result == 0 ? FileStatus(status).kind : nil
        linkCount = result == 0 ? Int(status.st_nlink) : 0
        size = result == 0 ? Int(status.st_size) : 0
    }

    /// Whether a watch of the folder does not notice all changes: a link leads elsewhere, and a file with several
    /// names can be written by any of them.
    var needsTrail: Bool { kind == .link || (kind == .file && linkCount > 1) }

    /// Whether a name that has just come may stand for a whole file. The system tells when a new file is closed; that
    /// does not happen to a link, nor to a file that got its name after it was written. Such a file is not empty.
    var isComplete: Bool {
        switch kind {
        case nil: false
        case .file: linkCount > 1 || size > 0
        default: true
        }
    }
}
