// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

/// The way to a place that is watched.
struct Trail: Hashable {
    enum Kind: Hashable {
        case file
        /// A file in a watched folder that a watch of the folder is not enough for: a symbolic link, or a file
        /// with several names.
        case entry
        /// A folder and the files in it.
        case directory
        /// A folder and all folders in it.
        case tree
    }

    let kind: Kind
    /// The path as it was asked for.
    let path: String

    /// Whether a file of this name in the folder matters.
    func includes(_ name: String) -> Bool {
        kind == .directory || (kind == .tree && name.utf8.first != UInt8(ascii: "."))
    }
}

/// All trails, and the watches that guard them: a table from the system's events to the places that they are about.
///
/// A trail is walked from the root of the disk on, and each folder is watched before anything is looked up in
/// it. So whatever changes on the way later gives an event, and the trail is walked again. Whatever changed
/// before is what the walk has seen.
struct Trails: Sendable {
    /// The use that a trail makes of a watch.
    enum Use: Hashable {
        /// The watched file or folder itself.
        case itself
        /// A name in the watched folder.
        case name(String)
        /// Every name in the watched folder.
        case names
    }

    struct Hold: Hashable {
        let watch: Int32
        let use: Use
    }

    private struct Watch {
        /// The path by which the folder was reached last.
        var path: String
        var itself: Set<Trail> = []
        var names: Set<Trail> = []
        var named: [String: Set<Trail>] = [:]

        var isUnused: Bool { itself.isEmpty && names.isEmpty && named.isEmpty }
    }

    /// Whether changes may have been missed: the next news is of everything.
    private(set) var isBehind = false
    private var roots: Set<Trail> = []
    private var holds: [Trail: Set<Hold>] = [:]
    /// The trails that begin in a folder: of links, files with several names, and folders of a tree.
    private var children: [Trail: Set<Trail>] = [:]
    private var watches: [Int32: Watch] = [:]
    private var released: Set<Int32> = []

    /// Watches these places instead of those before.
    mutating func follow(
        _ places: WatchedPlaces, with inotify: borrowing Inotify
    ) throws(SystemError) {
        let kinds: [(Trail.Kind, [String])] = [
            (.directory, places.directories), (.file, places.files), (.tree, places.trees),
        ]
        let wanted = Set(
            kinds.flatMap { kind, paths in
                paths.map { Trail(kind: kind, path: Path.join(Path.current, $0)) }
            })
        for trail in roots.subtracting(wanted) { drop(trail) }
        roots = wanted
        try walk(wanted, with: inotify)
    }

    /// Takes the system's events, and walks the trails again that they concern.
    ///
    /// - Returns: `nil` if nothing that matters has happened.
    mutating func news(from inotify: borrowing Inotify) throws(SystemError) -> WatchNews? {
        let wasBehind = isBehind
        // Until the events are worked off: after an error, they would be lost.
        isBehind = true
        let events = try inotify.events()
        var report = Report()
        if wasBehind || events.contains(where: { $0.value.contains(.overflow) }) {
            try walk(roots, with: inotify)
            return .everything
        }
        for (place, changes) in events {
            guard let watch = watches[place.watch] else { continue }
            if place.name.isEmpty {
                for trail in watch.itself { report.add(trail) }
                if changes.contains(.ended) { watches[place.watch] = nil }
                continue
            }
            let named = watch.named[place.name] ?? []
            if named.isEmpty && watch.names.isEmpty { continue }
            let entry = DirectoryEntry(Path.join(watch.path, place.name))
            let isNews = changes.subtracting([.created, .isFolder]) != [] || entry.isComplete
            for trail in named { report.add(trail, isNews: isNews) }
            for trail in watch.names where place.isFolder && trail.includes(place.name) {
                // Where files alone matter, a folder does that is called like a module's file, and stands in its place.
                guard trail.kind == .tree || place.name.hasSuffix(".so") else { continue }
                report.files.insert(Path.join(trail.path, place.name))
                if trail.kind == .tree { report.trails.insert(trail) }
            }
            for trail in watch.names where !place.isFolder {
                note(place.name, entry, isNews: isNews, in: trail, &report)
            }
        }
        try walk(report.trails, with: inotify)
        return isBehind ? nil : report.news
    }

    /// Takes note of a file that has changed in a folder.
    private mutating func note(
        _ name: String, _ entry: DirectoryEntry, isNews: Bool, in trail: Trail,
        _ report: inout Report
    ) {
        guard trail.includes(name) else { return }
        let path = Path.join(trail.path, name)
        if isNews { report.files.insert(path) }
        let child = Trail(kind: .entry, path: path)
        if entry.needsTrail {
            children[trail, default: []].insert(child)
            report.trails.insert(child)
        } else if children[trail]?.remove(child) != nil {
            drop(child)
        }
    }
}

// Walking, and what the walk holds.
extension Trails {
    /// Walks trails from their beginning, and lets go the watches that none needs any more.
    private mutating func walk(
        _ trails: Set<Trail>, with inotify: borrowing Inotify
    ) throws(SystemError) {
        // Until all are walked: an error leaves them for the next time.
        isBehind = true
        var isComplete = true
        var waiting = Array(trails)
        var walked: Set<Trail> = []
        while let trail = waiting.popLast() {
            // A trail that was dropped meanwhile has no parent any more.
            guard walked.insert(trail).inserted,
                roots.contains(trail) || children.values.contains(where: { $0.contains(trail) })
            else { continue }
            release(trail)
            var walk = TrailWalk(trail)
            do throws(SystemError) {
                isComplete = try walk.run(with: inotify) && isComplete
            } catch {
                released.formUnion(walk.holds.map(\.hold.watch))
                throw error
            }
            holds[trail] = Set(walk.holds.map(\.hold))
            for (hold, path) in walk.holds { take(hold, path, for: trail) }
            let former = children[trail] ?? []
            children[trail] = walk.children.isEmpty ? nil : walk.children
            for child in former.subtracting(walk.children) { drop(child) }
            waiting += walk.children
        }
        sweep(inotify)
        isBehind = !isComplete
    }

    private mutating func take(_ hold: Hold, _ path: String, for trail: Trail) {
        var watch = watches.removeValue(forKey: hold.watch) ?? Watch(path: path)
        watch.path = path
        switch hold.use {
        case .itself: watch.itself.insert(trail)
        case .names: watch.names.insert(trail)
        case .name(let name): watch.named[name, default: []].insert(trail)
        }
        watches[hold.watch] = watch
    }

    /// Forgets a trail, and those that begin in its folder.
    private mutating func drop(_ trail: Trail) {
        release(trail)
        for child in children.removeValue(forKey: trail) ?? [] { drop(child) }
    }

    private mutating func release(_ trail: Trail) {
        for hold in holds.removeValue(forKey: trail) ?? [] {
            released.insert(hold.watch)
            switch hold.use {
            case .itself: watches[hold.watch]?.itself.remove(trail)
            case .names: watches[hold.watch]?.names.remove(trail)
            case .name(let name):
                watches[hold.watch]?.named[name]?.remove(trail)
                if watches[hold.watch]?.named[name]?.isEmpty == true {
                    watches[hold.watch]?.named[name] = nil
                }
            }
        }
    }

    private mutating func sweep(_ inotify: borrowing Inotify) {
        for number in released where watches[number]?.isUnused ?? true {
            watches[number] = nil
            inotify.remove(number)
        }
        released = []
    }
}

/// The summary of a batch of events.
private struct Report {
    var files: Set<String> = []
    private var isEverything = false
    /// The trails to walk again.
    var trails: Set<Trail> = []

    var news: WatchNews? {
        if isEverything { return .everything }
        return files.isEmpty ? nil : .files(files)
    }

    mutating func add(_ trail: Trail, isNews: Bool = true) {
        trails.insert(trail)
        guard isNews else { return }
        switch trail.kind {
        case .file, .entry: files.insert(trail.path)
        case .directory, .tree: isEverything = true
        }
    }
}
